package svg

import (
	"math"
	"unicode/utf16"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/text"
)

// inked is the outlines of the letters of a span, and the room that they take.
type inked struct {
	span    *span
	outline geom.Outline
	cells   geom.Rect
}

// typesetter places the letters of a text: chunk by chunk, each of which begins at a place of its own.
type typesetter struct {
	w   *walker
	pen geom.Point
	out []inked
}

// set makes outlines of a text.
func (w *walker) set(t *writing) ([]inked, error) {
	ts := typesetter{w: w}
	for from := 0; from < len(t.letters); {
		to := from + 1
		for to < len(t.letters) && t.letters[to].x == nil && t.letters[to].y == nil && t.letters[to].span.along == t.letters[from].span.along {
			to++
		}
		c := chunk{letters: t.letters[from:to]}
		if from == 0 && to == len(t.letters) {
			c.length, c.squeeze = t.length, t.squeeze
		} else if t.length > 0 {
			w.out.Lack("the length of texts in several parts")
		}
		if err := ts.chunk(&c); err != nil {
			return nil, err
		}
		from = to
	}
	return ts.out, nil
}

// chunk is letters that follow each other.
type chunk struct {
	letters []letter
	length  float64 // that it has, 0 for that of its letters
	squeeze bool
	glyphs  []text.Glyph
	shifts  []geom.Point // of each letter and those after it, from where the font places them
	advance float64      // of all of them
	scale   float64      // of the letters along the line
}

// chunk places a chunk.
func (ts *typesetter) chunk(c *chunk) error {
	first := &c.letters[0]
	if first.x != nil {
		ts.pen.X = *first.x
	}
	if first.y != nil {
		ts.pen.Y = *first.y
	}
	laid, err := ts.w.fonts.Glyphs(c.document())
	if err != nil {
		return err
	}
	c.glyphs = laid.Glyphs
	c.shift()
	c.stretch()
	start := 0.0
	switch l := &first.span.style.letters; {
	case l.anchor == "middle":
		start = -c.advance / 2
	case (l.anchor == "end") != l.leftward:
		start = -c.advance
	}
	for i := range c.glyphs {
		ts.glyph(c, &c.glyphs[i], start)
	}
	last := c.shifts[len(c.shifts)-1]
	ts.pen = geom.Point{X: ts.pen.X + start + c.advance, Y: ts.pen.Y + last.Y}
	return nil
}

// document is the chunk as the engine's text layers have it, in a line from the origin on.
func (c *chunk) document() *aep.TextDocument {
	doc := &aep.TextDocument{}
	runes := make([]rune, len(c.letters))
	for i := range c.letters {
		l := &c.letters[i]
		runes[i] = l.r
		n := len(doc.Runs)
		if i == 0 || l.span != c.letters[i-1].span {
			doc.Runs = append(doc.Runs, aep.TextRun{Style: aep.CharacterStyle{
				Font: l.span.font, Size: l.span.style.fontSize, HScale: 100, VScale: 100, Tracking: 1000 * l.span.style.letters.spacing / l.span.style.fontSize,
			}})
			n++
		}
		doc.Runs[n-1].Length += utf16.RuneLen(l.r)
	}
	doc.Text = string(runes)
	return doc
}

// shift finds how far letters are moved, and how long the chunk is.
func (c *chunk) shift() {
	c.scale = 1
	c.shifts = make([]geom.Point, len(c.letters))
	var by geom.Point
	for i := range c.letters {
		l := &c.letters[i]
		if l.dx != nil {
			by.X += *l.dx
		}
		if l.dy != nil {
			by.Y += *l.dy
		}
		c.shifts[i] = by
		if l.r == ' ' || l.r == '\u00a0' {
			by.X += l.span.style.letters.wordSpacing
		}
	}
	for i := range c.glyphs {
		g := &c.glyphs[i]
		c.advance = max(c.advance, g.X+g.Advance+c.letters[g.Char].span.style.letters.spacing)
	}
	c.advance += by.X
}

// stretch makes the chunk as long as it is to be.
func (c *chunk) stretch() {
	if c.length <= 0 || c.advance <= 0 {
		return
	}
	switch n := len(c.letters); {
	case c.squeeze:
		c.scale = c.length / c.advance
	case n > 1:
		each := (c.length - c.advance) / float64(n-1)
		for i := range c.shifts {
			c.shifts[i].X += each * float64(i)
		}
	default:
		return
	}
	c.advance = c.length
}

// glyph draws a glyph.
func (ts *typesetter) glyph(c *chunk, g *text.Glyph, start float64) {
	l := &c.letters[g.Char]
	by := c.shifts[g.Char]
	x := start + (g.X+by.X)*c.scale
	m, ok := geom.Translate(ts.pen.X+x, ts.pen.Y+by.Y), true
	if l.span.along != nil {
		m, ok = l.span.along.at(start+(g.X+by.X)*c.scale, g.Advance*c.scale, by.Y)
	}
	if !ok {
		return
	}
	if l.rotate != 0 {
		m = m.Mul(geom.Rotate(l.rotate))
	}
	m = m.Mul(geom.Scale(c.scale, 1)).Mul(geom.Translate(0, g.Y+l.span.drop()))
	if !m.Finite() {
		return
	}
	n := len(ts.out)
	if n == 0 || ts.out[n-1].span != l.span {
		ts.out = append(ts.out, inked{span: l.span})
		n++
	}
	to := &ts.out[n-1]
	to.outline.Append(g.Outline.Transform(m))
	to.cells = to.cells.Union(geom.Rect{MinY: -l.span.metrics.Ascent, MaxX: g.Advance, MaxY: l.span.metrics.Descent}.Transform(m))
}

// drop is how far below the line the baseline of the letters lies, for the line that is asked for.
func (s *span) drop() float64 {
	return s.line() - s.style.letters.raised
}

func (s *span) line() float64 {
	m := s.metrics
	switch s.style.letters.baseline {
	case "middle":
		return m.XHeight / 2
	case "central", "mathematical":
		return (m.Ascent - m.Descent) / 2
	case "hanging":
		return 0.8 * m.Ascent
	case "text-before-edge", "before-edge", "text-top":
		return m.Ascent
	case "text-after-edge", "after-edge", "text-bottom", "ideographic":
		return -m.Descent
	}
	return 0
}

// route is a path that text follows: its lines, and how far along it each begins.
type route struct {
	points  []geom.Point
	lengths []float64
	start   float64
}

// The lines of a route keep within flatness of its curves; it has at most maxRoute of them.
const (
	flatness = 0.01
	maxRoute = 100_000
)

// route is the path of a textPath element; nil when there is none.
func (w *walker) route(e *element) *route {
	o, ok := outline(e.attrs["path"]), e.attrs["path"] != ""
	if of := w.doc.reference(e.attr("href")); !ok && of != nil {
		v := w.sheet.properties(of)
		if o, ok = w.shapeOf(of, v); ok {
			if m, placed := transform(v["transform"]); placed {
				o = o.Transform(m)
			}
		}
	}
	lines := o.Flatten(geom.Identity, flatness)
	if !ok || len(lines) == 0 || len(lines[0].Points) < 2 || len(lines[0].Points) > maxRoute {
		return nil
	}
	w.spent.steps += len(lines[0].Points) / 4
	r := &route{points: lines[0].Points, lengths: make([]float64, len(lines[0].Points))}
	if p := r.points; lines[0].Closed && p[0] != p[len(p)-1] {
		r.points, r.lengths = append(p, p[0]), append(r.lengths, 0)
	}
	for i := 1; i < len(r.points); i++ {
		r.lengths[i] = r.lengths[i-1] + r.points[i].Sub(r.points[i-1]).Len()
	}
	r.start, _ = length(e.attrs["startOffset"], r.lengths[len(r.lengths)-1], w.style.fontSize)
	return r
}

// at places a glyph whose pen is so far along the route, by its middle; false where it is not on it.
func (r *route) at(x, advance, off float64) (geom.Matrix, bool) {
	middle := r.start + x + advance/2
	if middle < 0 || middle > r.lengths[len(r.lengths)-1] {
		return geom.Identity, false
	}
	i := r.line(middle)
	from, to := r.points[i-1], r.points[i]
	long := r.lengths[i] - r.lengths[i-1]
	at := from
	if long > 0 {
		at = from.Lerp(to, (middle-r.lengths[i-1])/long)
	}
	angle := math.Atan2(to.Y-from.Y, to.X-from.X) * 180 / math.Pi
	return geom.Translate(at.X, at.Y).Mul(geom.Rotate(angle)).Mul(geom.Translate(-advance/2, off)), true
}

// line is the number of the point with which the line ends that is so far along the route.
func (r *route) line(far float64) int {
	low, high := 1, len(r.lengths)-1
	for low < high {
		if mid := (low + high) / 2; r.lengths[mid] < far {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}
