package text

import (
	"fmt"
	"math"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// Layout lays out a document. It may be called concurrently. The result must not be changed if it is shared.
func (b *Book) Layout(doc *aep.TextDocument) (*Layout, error) { return b.lay(doc, false) }

// lay lays out a document, in single glyphs if they are to be apart.
func (b *Book) lay(doc *aep.TextDocument, apart bool) (l *Layout, err error) {
	if doc == nil {
		return &Layout{}, nil
	}
	defer func() {
		if r := recover(); r != nil {
			l, err = nil, fmt.Errorf("setting text in '%s': the font is broken: %v", doc.Style().Font, r)
		}
	}()
	s := b.setters.Get().(*setter)
	l, err = s.layout(doc, apart)
	if err != nil {
		return nil, fmt.Errorf("setting text: %w", err)
	}
	b.setters.Put(s) // not after a panic, which may leave it inconsistent
	return l, nil
}

func (s *setter) layout(doc *aep.TextDocument, apart bool) (*Layout, error) {
	paras, err := paragraphs(doc)
	if err != nil {
		return nil, err
	}
	s.down = doc.Lines != aep.HorizontalLines
	c := composer{set: s, out: &Layout{}, single: apart, down: s.down, way: 1}
	c.frame(doc)
	wrap := 0.0
	if c.boxed {
		wrap = c.size[0]
	}
	for i, p := range paras {
		lines, err := s.breakLines(p, wrap)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			c.gap += p.style.SpaceBefore
		}
		for j := range lines {
			if !c.add(&lines[j]) {
				return c.finish(), nil
			}
		}
		c.gap += p.style.SpaceAfter
	}
	return c.finish(), nil
}

// composer places lines under each other. Those of vertical text too: x runs along them and y across, until what is drawn is turned.
type composer struct {
	set      *setter
	down     bool       // the lines are vertical
	way      float64    // the next line lies across in this direction, 1 or -1
	pos      [2]float64 // of the box, where the first line begins
	size     [2]float64 // of the box, along the lines and across
	out      *Layout
	boxed    bool
	started  bool
	baseline float64
	gap      float64 // space between paragraphs due before the next line
	ink      bounds
	single   bool // each glyph apart
	count    counter
}

// frame finds the box of a text, along its lines and across.
func (c *composer) frame(doc *aep.TextDocument) {
	c.boxed = doc.Box && doc.BoxSize[0] > 0 && doc.BoxSize[1] > 0
	c.pos, c.size = doc.BoxPos, doc.BoxSize
	if !c.down {
		return
	}
	c.size = [2]float64{doc.BoxSize[1], doc.BoxSize[0]}
	c.pos = [2]float64{doc.BoxPos[1], -doc.BoxPos[0] - doc.BoxSize[0]}
	if doc.Lines == aep.VerticalLeftToRight {
		c.way, c.pos[1] = -1, -doc.BoxPos[0]
	}
}

// turned is a point of the layer where vertical text has p along its lines and across.
func turned(p geom.Point) geom.Point { return geom.Point{X: -p.Y, Y: p.X} }

// add places the next line. It is false when the line is outside the box.
func (c *composer) add(l *line) bool {
	ascent, descent := l.height(c.set)
	switch {
	case c.started:
		c.baseline += c.way * (l.leading() + c.gap)
	case c.boxed:
		c.baseline = c.pos[1] + c.way*ascent
	}
	c.started, c.gap = true, 0
	if c.boxed && c.way*c.baseline > c.way*c.pos[1]+c.size[1]+0.5 {
		return false
	}
	x, align, stretch := c.start(l)
	text := make([]rune, 0, l.to-l.from)
	for _, ch := range l.chars[l.from:l.to] {
		text = append(text, ch.r)
	}
	c.out.Lines = append(c.out.Lines, Line{
		Text: string(text), X: x, Baseline: c.baseline, Width: l.width + stretch*float64(l.spaces), Ascent: ascent, Descent: descent, Align: align,
	})
	if c.single {
		c.apart(l, x, stretch)
	} else {
		c.draw(l, x, stretch)
	}
	return true
}

// start is where a line begins, how much of the room that it leaves is before it, and by how much each of its spaces is widened to
// fill the box.
func (c *composer) start(l *line) (x, align, stretch float64) {
	left, room := 0.0, 0.0
	if c.boxed {
		left, room = c.pos[0], c.size[0]
	}
	first := firstIndent(l.para, l.firstInPara)
	left += l.para.StartIndent + first
	room -= l.para.StartIndent + first + l.para.EndIndent
	free := room - l.width
	switch j := l.para.Justification; j {
	case aep.JustifyRight:
		return left + free, 1, 0
	case aep.JustifyCenter:
		return left + free/2, 0.5, 0
	case aep.JustifyFullLastLeft, aep.JustifyFullLastRight, aep.JustifyFullLastCenter, aep.JustifyFullAll:
		if c.boxed && (!l.lastInPara || j == aep.JustifyFullAll) {
			if l.spaces > 0 && free > 0 {
				return left, 0, free / float64(l.spaces)
			}
			return left, 0, 0
		}
		switch j {
		case aep.JustifyFullLastRight:
			return left + free, 1, 0
		case aep.JustifyFullLastCenter:
			return left + free/2, 0.5, 0
		}
	}
	return left, 0, 0
}

// draw adds a line's glyphs; consecutive ones of one style become one shape.
func (c *composer) draw(l *line, x, stretch float64) {
	var outline geom.Outline
	var style *aep.CharacterStyle
	flush := func() {
		if style != nil {
			c.paint(outline, style)
		}
		outline = geom.Outline{}
	}
	for _, run := range l.runs {
		for i := range run {
			g := &run[i]
			if g.style != style {
				flush()
				style = g.style
			}
			c.glyph(&outline, g, l.chars[g.first].r, x)
			x += g.advance + g.track
			if isGap(l.chars[g.first].r) {
				x += stretch
			}
		}
	}
	flush()
}

func (c *composer) glyph(to *geom.Outline, g *glyph, r rune, x float64) {
	first := len(to.Points)
	c.set.draw(to, g, r, geom.Point{X: x, Y: c.baseline})
	for i, p := range to.Points[first:] {
		if c.down {
			p = turned(p)
			to.Points[first+i] = p
		}
		c.ink.add(p)
	}
}

// draw adds the outline of a glyph whose pen is at a point.
func (s *setter) draw(to *geom.Outline, g *glyph, r rune, pen geom.Point) {
	from := g.tf.outline(g.face, g.id)
	if len(from.Verbs) == 0 {
		s.book.undrawn(g, r)
		return
	}
	across, along := g.size()
	slant := 0.0
	if g.style.FauxItalic {
		slant = fauxSlant
	}
	to.Verbs = append(to.Verbs, from.Verbs...)
	if g.upright { // what turns the line turns the glyph back
		for _, p := range from.Points {
			right, down := g.dx+(p.X-slant*p.Y)*along+g.rise(), g.dy+p.Y*across
			to.Points = append(to.Points, geom.Point{X: pen.X + down, Y: pen.Y - right})
		}
		return
	}
	x, y := pen.X+g.dx, pen.Y+g.dy-g.rise()
	for _, p := range from.Points {
		to.Points = append(to.Points, geom.Point{X: x + (p.X-slant*p.Y)*along, Y: y + p.Y*across})
	}
}

// paint adds the fill and the stroke of an outline in the order of its style.
func (c *composer) paint(o geom.Outline, st *aep.CharacterStyle) {
	if len(o.Verbs) == 0 {
		return
	}
	var fill, stroke []raster.Shape
	if st.ApplyFill {
		fill = append(fill, raster.Shape{Outline: o, Color: st.Fill})
		if st.FauxBold {
			fill = append(fill, raster.Shape{Outline: o, Color: st.Fill, Stroke: &raster.StrokeStyle{
				Width: st.Size * fauxWeight, Cap: 2, Join: 2, MiterLimit: 4}})
		}
	}
	if st.ApplyStroke && st.StrokeWidth > 0 {
		stroke = append(stroke, raster.Shape{Outline: o, Color: st.Stroke, Stroke: &raster.StrokeStyle{
			Width: st.StrokeWidth, Cap: 1, Join: raster.MiterJoin + int(st.StrokeJoin), MiterLimit: 4}})
	}
	if st.StrokeOverFill {
		c.out.Shapes = append(append(c.out.Shapes, fill...), stroke...)
	} else {
		c.out.Shapes = append(append(c.out.Shapes, stroke...), fill...)
	}
}

func (c *composer) finish() *Layout {
	c.out.Counts = c.count.Counts
	if c.count.Chars > 0 {
		c.out.Counts.Words++ // the last one
	}
	if !c.ink.empty() {
		c.out.Left, c.out.Top = c.ink.x0, c.ink.y0
		c.out.Width, c.out.Height = c.ink.x1-c.ink.x0, c.ink.y1-c.ink.y0
	}
	return c.out
}

// bounds is the smallest box around points. Fonts have points at the extremes of their curves, so that it is also the
// box of the outline.
type bounds struct {
	x0, y0, x1, y1 float64
	any            bool
}

func (b *bounds) add(p geom.Point) {
	if !b.any {
		*b = bounds{p.X, p.Y, p.X, p.Y, true}
		return
	}
	b.x0, b.y0 = math.Min(b.x0, p.X), math.Min(b.y0, p.Y)
	b.x1, b.y1 = math.Max(b.x1, p.X), math.Max(b.y1, p.Y)
}

func (b *bounds) empty() bool { return !b.any }
