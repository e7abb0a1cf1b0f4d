package raster

import (
	"math"

	"overcrank/engine/geom"
)

// maxDashes limits the pieces of one shape.
const maxDashes = 20000

// TooManyDashes tells whether the stroke has more dashes than are drawn of a shape.
func (s *Shape) TooManyDashes() bool {
	if s.Stroke == nil || s.Stroke.Profile != nil {
		return false
	}
	pattern := dashPattern(s.Stroke.Dashes)
	if pattern == nil {
		return false
	}
	length, period := 0.0, 0.0
	for _, line := range s.Outline.Flatten(geom.Identity, 1) {
		for i := 1; i < len(line.Points); i++ {
			length += line.Points[i].Sub(line.Points[i-1]).Len()
		}
		if n := len(line.Points); line.Closed && n > 1 {
			length += line.Points[0].Sub(line.Points[n-1]).Len()
		}
	}
	for _, part := range pattern {
		period += part
	}
	return length/period*float64(len(pattern)/2) > maxDashes
}

// dashPattern is the lengths of dashes and gaps, alternating, an even number of them; nil when they make no pattern.
func dashPattern(lengths []float64) []float64 {
	sum := 0.0
	for _, l := range lengths {
		if l < 0 || math.IsNaN(l) {
			return nil
		}
		sum += l
	}
	if sum < 1e-3 {
		return nil
	}
	if len(lengths)%2 == 1 {
		return append(append([]float64(nil), lengths...), lengths...)
	}
	return lengths
}

// dash cuts lines into dashes.
func dash(lines []geom.Polyline, pattern []float64, offset float64) []geom.Polyline {
	period := 0.0
	for _, l := range pattern {
		period += l
	}
	var out []geom.Polyline
	for _, line := range lines {
		pts := line.Points
		if line.Closed && len(pts) > 0 {
			pts = append(append([]geom.Point(nil), pts...), pts[0])
		}
		at, left := phase(pattern, period, offset)
		cur := geom.Polyline{}
		if at%2 == 0 && len(pts) > 0 {
			cur.Points = append(cur.Points, pts[0])
		}
		for i := 1; i < len(pts); i++ {
			a, b := pts[i-1], pts[i]
			length := b.Sub(a).Len()
			done := 0.0
			for length-done > left && len(out) < maxDashes {
				done += left
				p := a.Lerp(b, done/length)
				if at%2 == 0 {
					out = append(out, geom.Polyline{Points: append(cur.Points, p)})
					cur = geom.Polyline{}
				} else {
					cur.Points = []geom.Point{p}
				}
				at = (at + 1) % len(pattern)
				left = pattern[at]
			}
			left -= length - done
			if at%2 == 0 {
				cur.Points = append(cur.Points, b)
			}
		}
		if at%2 == 0 && len(cur.Points) > 1 {
			out = append(out, cur)
		}
	}
	return out
}

// phase is the index of the piece of the pattern at offset, and how much of that piece is left.
func phase(pattern []float64, period, offset float64) (at int, left float64) {
	offset = math.Mod(offset, period)
	if offset < 0 {
		offset += period
	}
	for i, l := range pattern {
		if offset < l {
			return i, l - offset
		}
		offset -= l
	}
	return 0, pattern[0]
}
