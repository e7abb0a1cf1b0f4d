package svg

import (
	"math"
	"strings"

	"overcrank/engine/footage/vector"
)

// primitives read the elements of filters. Each adds what an element does, and tells what of it is not drawn.
var primitives = map[string]func(r *filterReader, e *element, p vector.Primitive) (lack string){
	"feGaussianBlur": func(r *filterReader, e *element, p vector.Primitive) string {
		x, y := r.deviation(e, "0")
		r.add(p, vector.GaussianBlur{X: x, Y: y}, p.In...)
		return ""
	},
	"feOffset": func(r *filterReader, e *element, p vector.Primitive) string {
		r.add(p, r.offset(e, "0"), p.In...)
		return ""
	},
	"feFlood": func(r *filterReader, e *element, p vector.Primitive) string {
		p.Linear = false // its colour is one of sRGB
		r.add(p, vector.Flood{Color: r.w.flood(e)})
		return ""
	},
	"feMerge": func(r *filterReader, _ *element, p vector.Primitive) string {
		r.add(p, vector.Merge{}, p.In...)
		return ""
	},
	"feBlend": func(r *filterReader, e *element, p vector.Primitive) string {
		mode := blends[e.attr("mode")]
		if mode == "" {
			mode = "Normal"
		}
		r.add(p, vector.Blending{Mode: mode}, p.In...)
		return ""
	},
	"feColorMatrix": func(r *filterReader, e *element, p vector.Primitive) string {
		m := colorMatrix(e.attr("type"), e.attrs["values"])
		r.add(p, vector.Recoloring{Of: m.of}, p.In...)
		return ""
	},
	"feComponentTransfer": func(r *filterReader, e *element, p vector.Primitive) string {
		r.add(p, vector.Recoloring{Of: transfer(e)}, p.In...)
		return ""
	},
	"feMorphology": func(r *filterReader, e *element, p vector.Primitive) string {
		x, y := r.pair(e.attr("radius"))
		r.add(p, vector.Morphology{X: x, Y: y, Thin: e.attr("operator") != "dilate"}, p.In...)
		return ""
	},
	"feComposite":  composite,
	"feDropShadow": dropShadow,
}

// dropShadow is the shadow of a picture beneath it, as its specification makes it of other primitives (Filter Effects Module Level 1, 9.11).
func dropShadow(r *filterReader, e *element, p vector.Primitive) string {
	from := p.In[0]
	x, y := r.deviation(e, "2")
	blurred := r.add(p, vector.GaussianBlur{X: x, Y: y}, from)
	moved := r.add(p, r.offset(e, "2"), blurred)
	plain := p
	plain.Linear = false
	color := r.add(plain, vector.Flood{Color: r.w.flood(e)})
	shadow := r.add(p, vector.Composition{Of: compositions["in"]}, color, moved)
	r.add(p, vector.Merge{}, shadow, from)
	return ""
}

// deviation is how far a primitive blurs across and down.
func (r *filterReader) deviation(e *element, otherwise string) (x, y float64) {
	v := e.attr("stdDeviation")
	if v == "" {
		v = otherwise
	}
	return r.pair(v)
}

// pair is a length across and one down, which is the same where it is not said; nothing for what is below nothing.
func (r *filterReader) pair(v string) (x, y float64) {
	n := numbers(v, 2)
	switch len(n) {
	case 0:
		return 0, 0
	case 1:
		n = append(n, n[0])
	}
	if n[0] < 0 || n[1] < 0 {
		return 0, 0
	}
	unit := r.unit()
	return n[0] * unit.X, n[1] * unit.Y
}

func (r *filterReader) offset(e *element, otherwise string) vector.Offset {
	at := func(name string) float64 {
		v := e.attr(name)
		if v == "" {
			v = otherwise
		}
		n, _ := length(v, 1, 1)
		return n
	}
	unit := r.unit()
	return vector.Offset{X: at("dx") * unit.X, Y: at("dy") * unit.Y}
}

// flood is the colour of a flood or of a shadow.
func (w *walker) flood(e *element) [4]float64 {
	v := w.sheet.properties(e)
	name := strings.TrimSpace(v["flood-color"])
	c, ok := colour(name)
	switch {
	case strings.EqualFold(name, "currentColor"):
		c = w.colorOf(e)
	case !ok:
		c = [4]float64{3: 1}
	}
	c[3] *= share(v["flood-opacity"], 1)
	return c
}

// compositions are the operators of feComposite but for the arithmetic one: how much a pixel has of the first and of the second picture.
var compositions = map[string]func(a, b float32) (first, second float32){
	"over":    func(a, _ float32) (float32, float32) { return 1, 1 - a },
	"in":      func(_, b float32) (float32, float32) { return b, 0 },
	"out":     func(_, b float32) (float32, float32) { return 1 - b, 0 },
	"atop":    func(a, b float32) (float32, float32) { return b, 1 - a },
	"xor":     func(a, b float32) (float32, float32) { return 1 - b, 1 - a },
	"lighter": func(_, _ float32) (float32, float32) { return 1, 1 },
}

func composite(r *filterReader, e *element, p vector.Primitive) string {
	operator := e.attr("operator")
	if operator == "arithmetic" {
		var k [4]float64
		for i, name := range []string{"k1", "k2", "k3", "k4"} {
			k[i], _ = length(e.attr(name), 1, 1)
		}
		r.add(p, vector.Arithmetic{K: k}, p.In...)
		return ""
	}
	of := compositions[operator]
	if of == nil {
		of = compositions["over"]
	}
	r.add(p, vector.Composition{Of: of}, p.In...)
	return ""
}

// matrix makes red, green, blue and alpha of the same four and of 1.
type matrix [4][5]float64

func (m *matrix) of(c [4]float64) (out [4]float64) {
	for i, row := range m {
		out[i] = row[0]*c[0] + row[1]*c[1] + row[2]*c[2] + row[3]*c[3] + row[4]
	}
	return out
}

// colorMatrix is the matrix of a feColorMatrix, by the formulas of its specification (Filter Effects Module Level 1, 9.6). One that cannot be read
// changes nothing.
func colorMatrix(kind, values string) *matrix {
	plain := &matrix{{0: 1}, {1: 1}, {2: 1}, {3: 1}}
	v := numbers(values, 20)
	switch kind {
	case "saturate":
		s := 1.0
		if len(v) > 0 {
			s = v[0]
		}
		return turned(s, 0)
	case "hueRotate":
		if len(v) == 0 {
			return plain
		}
		sin, cos := math.Sincos(v[0] * math.Pi / 180)
		return turned(cos, sin)
	case "luminanceToAlpha":
		return &matrix{3: {0.2125, 0.7154, 0.0721}}
	}
	if len(v) < 20 {
		return plain
	}
	m := &matrix{}
	for i, n := range v {
		m[i/5][i%5] = n
	}
	return m
}

// turned is a matrix that keeps the luminance of a colour, and of what else it is takes keep, and turn of the same turned by a quarter.
func turned(keep, turn float64) *matrix {
	luma := [3]float64{0.213, 0.715, 0.072}
	quarter := [3][3]float64{{-0.213, -0.715, 0.928}, {0.143, 0.140, -0.283}, {-0.787, 0.715, 0.072}}
	m := &matrix{3: {3: 1}}
	for i := range 3 {
		for k := range 3 {
			same := 0.0
			if i == k {
				same = 1
			}
			m[i][k] = luma[k] + keep*(same-luma[k]) + turn*quarter[i][k]
		}
	}
	return m
}
