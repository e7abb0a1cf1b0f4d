package aep

import (
	"math"
	"unicode/utf8"
)

// rect is a rectangle in pixels; an empty one has right < left.
type rect struct{ left, top, right, bottom float64 }

var emptyRect = rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

func (r rect) empty() bool { return r.right < r.left || r.bottom < r.top }

func (r rect) add(x, y float64) rect {
	return rect{min(r.left, x), min(r.top, y), max(r.right, x), max(r.bottom, y)}
}

func (r rect) union(o rect) rect {
	if o.empty() {
		return r
	}
	return r.add(o.left, o.top).add(o.right, o.bottom)
}

// through is the bounding box of r mapped by m.
func (r rect) through(m affine) rect {
	if r.empty() {
		return r
	}
	out := emptyRect
	for _, c := range [4][2]float64{{r.left, r.top}, {r.right, r.top}, {r.right, r.bottom}, {r.left, r.bottom}} {
		out = out.add(m.apply(c[0], c[1]))
	}
	return out
}

// affine maps x, y to a*x + c*y + e, b*x + d*y + f.
type affine struct{ a, b, c, d, e, f float64 }

var identity = affine{a: 1, d: 1}

func (m affine) apply(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

// after is m applied after n.
func (m affine) after(n affine) affine {
	e, f := m.apply(n.e, n.f)
	return affine{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d, e, f,
	}
}

// placed moves the anchor to the origin, scales (percent), rotates (degrees) and moves to the position.
func placed(anchor, scale, position [2]float64, degrees float64) affine {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	m := affine{cos * scale[0] / 100, sin * scale[0] / 100, -sin * scale[1] / 100, cos * scale[1] / 100, 0, 0}
	m.e, m.f = m.apply(-anchor[0], -anchor[1])
	m.e += position[0]
	m.f += position[1]
	return m
}

// bounds is the rectangle of a layer in its composition at time 0. It is an estimate: it ignores expressions, effects,
// the third dimension and text animators, and guesses the width of point text from its size.
func (r *reader) bounds(comp *Composition, l *Layer, byID map[uint32]*Layer) rect {
	scope := r.scope(comp, l)
	own := localBounds(l, scope)
	if own.empty() {
		own = rect{}
	}
	m := layerMatrix(l, scope)
	for up, steps := byID[l.Parent], 0; up != nil && steps < maxParents; up, steps = byID[up.Parent], steps+1 {
		m = layerMatrix(up, r.scope(comp, up)).after(m)
	}
	return own.through(m)
}

// maxParents ends a chain of parents that is a circle.
const maxParents = 256

func layerMatrix(l *Layer, scope *layerScope) affine {
	t := l.Props.Child(matchTransform)
	local := 0.0
	if l.Stretch != 0 {
		local = -l.Start * 100 / l.Stretch
	}
	anchor := [2]float64{}
	if scope.fractions {
		anchor = [2]float64{scope.width / 2, scope.height / 2}
	}
	center := [2]float64{float64(scope.comp.Width) / 2, float64(scope.comp.Height) / 2}
	position := pairAt(t.Child(matchPosition), local, center)
	if lead := t.Child(matchPosition); lead != nil && lead.Separated {
		position[0] = numberAt(t.Child("ADBE Position_0"), local, position[0])
		position[1] = numberAt(t.Child("ADBE Position_1"), local, position[1])
	}
	return placed(
		pairAt(t.Child(matchAnchor), local, anchor),
		pairAt(t.Child("ADBE Scale"), local, [2]float64{100, 100}),
		position, numberAt(t.Child(matchRotateZ), local, 0),
	)
}

// localBounds is the rectangle of a layer in its own pixels.
func localBounds(l *Layer, scope *layerScope) rect {
	switch l.Kind {
	case LayerText:
		if p := l.Props.Find(matchText, matchDocument); p != nil {
			if d, ok := p.Value.(*TextDocument); ok {
				return d.bounds()
			}
		}
	case LayerShape:
		return shapeBounds(l.Props.Child(matchContents), 0)
	case LayerAV:
		if scope.fractions {
			return rect{0, 0, scope.width, scope.height}
		}
	}
	return emptyRect
}

// averageAdvance and ascent are typical of common fonts, as fractions of the size.
const (
	averageAdvance = 0.55
	ascent         = 0.75
	descent        = 0.25
)

// bounds is the box of paragraph text, and an estimate for point text.
func (d *TextDocument) bounds() rect {
	if d.Box {
		return rect{d.BoxPos[0], d.BoxPos[1], d.BoxPos[0] + d.BoxSize[0], d.BoxPos[1] + d.BoxSize[1]}
	}
	style := d.Style()
	leading := style.Leading
	if style.AutoLeading || leading <= 0 {
		leading = style.Size * defaultAutoLeading
	}
	out := emptyRect
	y, start := 0.0, 0
	text := lines(d.Text) + "\n"
	for i, c := range text {
		if c != '\n' {
			continue
		}
		line := text[start:i]
		start = i + 1
		n := float64(utf8.RuneCountInString(line))
		width := n * (style.Size*averageAdvance*style.HScale/100 + style.Size*style.Tracking/1000)
		left := 0.0
		switch d.justification() {
		case JustifyCenter, JustifyFullLastCenter:
			left = -width / 2
		case JustifyRight, JustifyFullLastRight:
			left = -width
		}
		out = out.add(left, y-ascent*style.Size).add(left+width, y+descent*style.Size)
		y += leading
	}
	return out
}

func (d *TextDocument) justification() Justification {
	if len(d.Paragraphs) == 0 {
		return JustifyLeft
	}
	return d.Paragraphs[0].Style.Justification
}

const maxShapeDepth = 64

// shapeBounds is the rectangle around the paths in a shape's contents, without strokes.
func shapeBounds(contents *Property, depth int) rect {
	out := emptyRect
	if contents == nil || depth > maxShapeDepth {
		return out
	}
	for _, c := range contents.Children {
		if !c.Enabled {
			continue
		}
		switch c.Match {
		case "ADBE Vector Group":
			inner := shapeBounds(c.Child("ADBE Vectors Group"), depth+1)
			out = out.union(inner.through(groupMatrix(c.Child("ADBE Vector Transform Group"))))
		case "ADBE Vector Shape - Rect":
			out = out.union(sized(c, "ADBE Vector Rect Size", "ADBE Vector Rect Position"))
		case "ADBE Vector Shape - Ellipse":
			out = out.union(sized(c, "ADBE Vector Ellipse Size", "ADBE Vector Ellipse Position"))
		case "ADBE Vector Shape - Star":
			radius := numberAt(c.Child("ADBE Vector Star Outer Radius"), 0, 100)
			at := pairAt(c.Child("ADBE Vector Star Position"), 0, [2]float64{})
			out = out.add(at[0]-radius, at[1]-radius).add(at[0]+radius, at[1]+radius)
		case "ADBE Vector Shape - Group":
			out = out.union(pathBounds(c.Child("ADBE Vector Shape")))
		}
	}
	return out
}

func groupMatrix(t *Property) affine {
	if t == nil {
		return identity
	}
	return placed(
		pairAt(t.Child("ADBE Vector Anchor"), 0, [2]float64{}),
		pairAt(t.Child("ADBE Vector Scale"), 0, [2]float64{100, 100}),
		pairAt(t.Child("ADBE Vector Position"), 0, [2]float64{}),
		numberAt(t.Child("ADBE Vector Rotation"), 0, 0),
	)
}

func sized(c *Property, size, position string) rect {
	s := pairAt(c.Child(size), 0, [2]float64{100, 100})
	at := pairAt(c.Child(position), 0, [2]float64{})
	return rect{at[0] - s[0]/2, at[1] - s[1]/2, at[0] + s[0]/2, at[1] + s[1]/2}
}

func pathBounds(p *Property) rect {
	out := emptyRect
	if p == nil {
		return out
	}
	path, ok := p.Value.(*Path)
	if !ok {
		return out
	}
	for _, v := range path.Vertices {
		out = out.add(v.X, v.Y)
	}
	return out
}

// numbersAt is a property's value at a layer-local time, without easing and expressions, which is enough for an
// estimate.
func numbersAt(p *Property, t float64) Numbers {
	if p == nil {
		return nil
	}
	n, _ := p.Value.(Numbers)
	for i, k := range p.Keys {
		v, ok := k.Value.(Numbers)
		if !ok {
			return n
		}
		if i == 0 || k.Time <= t {
			n = v
			continue
		}
		before := p.Keys[i-1]
		if before.Time > t || before.Out == Hold || k.Time <= before.Time {
			return n
		}
		share := (t - before.Time) / (k.Time - before.Time)
		mixed := make(Numbers, min(len(n), len(v)))
		for d := range mixed {
			mixed[d] = n[d] + (v[d]-n[d])*share
		}
		return mixed
	}
	return n
}

func numberAt(p *Property, t, def float64) float64 {
	if n := numbersAt(p, t); len(n) > 0 {
		return n[0]
	}
	return def
}

func pairAt(p *Property, t float64, def [2]float64) [2]float64 {
	if n := numbersAt(p, t); len(n) > 1 {
		return [2]float64{n[0], n[1]}
	}
	return def
}
