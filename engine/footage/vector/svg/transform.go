package svg

import (
	"math"
	"strings"

	"overcrank/engine/geom"
)

// maxTransforms limits the functions of one transform.
const maxTransforms = 200

// transform is the matrix of a list of transform functions; false when it has an error, for which nothing is drawn.
func transform(v string) (geom.Matrix, bool) {
	m := geom.Identity
	s := scanner{s: v}
	for range maxTransforms {
		s.space()
		if s.i >= len(s.s) {
			break
		}
		name := s.word()
		for s.i < len(s.s) && (s.s[s.i] == ' ' || s.s[s.i] >= '0' && s.s[s.i] <= '9') { // such as the "3d" of functions that are not known
			s.i++
		}
		if s.i >= len(s.s) || s.s[s.i] != '(' {
			return m, name == "none"
		}
		end := strings.IndexByte(s.s[s.i:], ')')
		if end < 0 {
			return m, false
		}
		f, ok := function(strings.ToLower(name), arguments(s.s[s.i+1:s.i+end]))
		if !ok {
			return m, false
		}
		m = m.Mul(f)
		s.i += end + 1
	}
	return m, m.Finite()
}

// arguments are the numbers of a function, lengths in pixels and angles in degrees.
func arguments(v string) []float64 {
	s := scanner{s: v}
	var out []float64
	for len(out) < 6 {
		n, ok := s.number()
		if !ok {
			break
		}
		switch unit := strings.ToLower(s.word()); unit {
		case "rad":
			n *= 180 / math.Pi
		case "turn":
			n *= 360
		case "grad":
			n *= 0.9
		default:
			if k, ok := units[unit]; ok {
				n *= k
			}
		}
		out = append(out, n)
	}
	return out
}

func function(name string, v []float64) (geom.Matrix, bool) {
	at := func(i int, otherwise float64) float64 {
		if i < len(v) {
			return v[i]
		}
		return otherwise
	}
	if len(v) == 0 {
		return geom.Identity, false
	}
	skew := func(degrees float64) float64 { return math.Tan(degrees * math.Pi / 180) }
	switch name {
	case "matrix":
		if len(v) < 6 {
			return geom.Identity, false
		}
		return geom.Matrix{A: v[0], B: v[1], C: v[2], D: v[3], E: v[4], F: v[5]}, true
	case "translate":
		return geom.Translate(v[0], at(1, 0)), true
	case "translatex":
		return geom.Translate(v[0], 0), true
	case "translatey":
		return geom.Translate(0, v[0]), true
	case "scale":
		return geom.Scale(v[0], at(1, v[0])), true
	case "scalex":
		return geom.Scale(v[0], 1), true
	case "scaley":
		return geom.Scale(1, v[0]), true
	case "rotate":
		x, y := at(1, 0), at(2, 0)
		return geom.Translate(x, y).Mul(geom.Rotate(v[0])).Mul(geom.Translate(-x, -y)), true
	case "skewx":
		return geom.Matrix{A: 1, C: skew(v[0]), D: 1}, true
	case "skewy":
		return geom.Matrix{A: 1, B: skew(v[0]), D: 1}, true
	}
	return geom.Identity, false
}

// viewBox maps a box of user units to a rectangle of w by h, by preserveAspectRatio. clipped tells whether parts of it lie outside of that.
func viewBox(box, preserve string, w, h float64) (m geom.Matrix, clipped, ok bool) {
	v := numbers(box, 4)
	if len(v) < 4 || v[2] <= 0 || v[3] <= 0 {
		return geom.Identity, false, false
	}
	return viewBoxOf([4]float64(v), strings.Fields(preserve), w, h)
}

func viewBoxOf(v [4]float64, words []string, w, h float64) (m geom.Matrix, clipped, ok bool) {
	sx, sy := w/v[2], h/v[3]
	if len(words) > 0 && words[0] == "defer" {
		words = words[1:]
	}
	align := "xMidYMid"
	if len(words) > 0 {
		align = words[0]
	}
	if align == "none" {
		return geom.Scale(sx, sy).Mul(geom.Translate(-v[0], -v[1])), false, true
	}
	slice := len(words) > 1 && words[1] == "slice"
	k := min(sx, sy)
	if slice {
		k = max(sx, sy)
	}
	place := func(low, high string, room float64) float64 {
		switch {
		case strings.Contains(align, low):
			return 0
		case strings.Contains(align, high):
			return room
		}
		return room / 2
	}
	x, y := place("xMin", "xMax", w-k*v[2]), place("YMin", "YMax", h-k*v[3])
	return geom.Translate(x, y).Mul(geom.Scale(k, k)).Mul(geom.Translate(-v[0], -v[1])), slice, true
}
