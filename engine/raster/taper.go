package raster

import (
	"math"

	"overcrank/engine/geom"
)

// Profile is how the width of a stroke changes along its line, as a factor of its width.
type Profile struct {
	// Start and End are how the stroke becomes thinner at its ends.
	Start, End Taper
	// Pixels tells whether the lengths of tapers are pixels of the outline's space, and not shares of the line.
	Pixels bool
	// Wave is by how much waves change the width, 1 from nothing to twice of it; Wavelength is in pixels, or with Cycles the number of waves of the
	// whole line. Phase is in degrees.
	Wave, Wavelength, Phase float64
	Cycles                  bool
}

// Taper is one end of a stroke.
type Taper struct {
	Length float64
	Width  float64 // of the very end
	Ease   float64 // 0 for a straight edge, 1 for one that begins and ends level
}

// Values passes all values of the profile to each, so that profiles can be told apart.
func (p *Profile) Values(each func(...float64)) {
	for _, t := range []Taper{p.Start, p.End} {
		each(t.Length, t.Width, t.Ease)
	}
	each(p.Wave, p.Wavelength, p.Phase)
	for _, so := range []bool{p.Pixels, p.Cycles} {
		if so {
			each(1)
		}
		each(0)
	}
}

// widest is the largest factor.
func (p *Profile) widest() float64 {
	return math.Max(1, math.Max(p.Start.Width, p.End.Width)) * (1 + math.Abs(p.Wave))
}

// at is the factor at a place of a line with a length.
func (p *Profile) at(place, length float64) float64 {
	unit := length
	if p.Pixels {
		unit = 1
	}
	k := p.Start.at(place, unit) * p.End.at(length-place, unit)
	if wave := p.wavelength(length); wave > 0 && p.Wave != 0 {
		k *= 1 + p.Wave*math.Sin(2*math.Pi*place/wave+p.Phase*math.Pi/180)
	}
	return math.Max(0, k)
}

// wavelength is that of a line with a length.
func (p *Profile) wavelength(length float64) float64 {
	if p.Cycles && p.Wavelength > 0 {
		return length / p.Wavelength
	}
	return p.Wavelength
}

func (t Taper) at(place, unit float64) float64 {
	over := t.Length * unit
	if !(place < over) {
		return 1
	}
	u := math.Max(0, place/over)
	u += (u*u*(3-2*u) - u) * t.Ease
	return t.Width + (1-t.Width)*u
}

// maxTapered limits the pieces of a line whose width changes, tapered is how many one has at least.
const (
	maxTapered = 5000
	tapered    = 100
)

// tapered is the outline of a line whose width changes. A closed line begins and ends at its first point.
func (p *pen) tapered(l geom.Polyline) [][]geom.Point {
	pts := distinct(l.Points, l.Closed)
	if l.Closed && len(pts) > 1 {
		pts = append(pts, pts[0])
	}
	if len(pts) < 2 {
		return p.dot(l)
	}
	pts, widths := p.measured(pts)
	half := p.half
	out := p.taperedSide(pts, widths)
	n := len(pts) - 1
	p.half = half * widths[n]
	out = p.cap(out, pts[n-1], pts[n])
	p.half = half
	pts = reversed(pts)
	for i, j := 0, n; i < j; i, j = i+1, j-1 {
		widths[i], widths[j] = widths[j], widths[i]
	}
	out = append(out, p.taperedSide(pts, widths)...)
	p.half = half * widths[n]
	out = p.cap(out, pts[n-1], pts[n])
	p.half = half
	return [][]geom.Point{out}
}

// measured divides a line so finely that its width changes in even steps, and gives the factor of the width at each point.
func (p *pen) measured(pts []geom.Point) (fine []geom.Point, widths []float64) {
	length := 0.0
	for i := range pts[1:] {
		length += pts[i+1].Sub(pts[i]).Len()
	}
	profile := p.style.Profile
	step := length / tapered
	if wave := profile.wavelength(length); profile.Wave != 0 && wave > 0 {
		step = math.Min(step, wave/16)
	}
	step = math.Max(step, length/maxTapered)
	at := 0.0
	for i := range pts[1:] {
		a, b := pts[i], pts[i+1]
		far := b.Sub(a).Len()
		n := max(1, int(math.Ceil(math.Min(maxTapered, far/step))))
		for k := range n {
			share := float64(k) / float64(n)
			fine, widths = append(fine, a.Lerp(b, share)), append(widths, profile.at(at+far*share, length))
		}
		at += far
	}
	return append(fine, pts[len(pts)-1]), append(widths, profile.at(length, length))
}

// taperedSide is side for a line whose width changes.
func (p *pen) taperedSide(pts []geom.Point, widths []float64) []geom.Point {
	half := p.half
	defer func() { p.half = half }()
	var out []geom.Point
	for i := range pts[1:] {
		a, b := pts[i], pts[i+1]
		p.half = half * widths[i]
		out = append(out, a.Add(p.offset(a, b)))
		p.half = half * widths[i+1]
		out = append(out, b.Add(p.offset(a, b)))
		if i+2 < len(pts) {
			out = p.join(out, a, b, pts[i+2])
		}
	}
	return out
}
