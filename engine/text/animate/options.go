package animate

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/shape"
)

// options are the More Options of a text.
type options struct {
	grouping, order eval.Number
	alignment       eval.Vector
	blend           raster.Blend // of characters with each other; nil for Normal
}

// The entries of the menu "Anchor Point Grouping"; 1 is by character.
const (
	groupWord = 2
	groupLine = 3
	groupAll  = 4
)

// The entries of the menu "Fill & Stroke"; 1 is as each character says.
const (
	fillsAbove   = 2
	strokesAbove = 3
)

func newOptions(p params) options {
	o := options{
		grouping: p.number("ADBE Text Anchor Point Option", 1), alignment: p.vector("ADBE Text Anchor Point Align", [4]float64{}),
		order: p.number("ADBE Text Render Order", 1),
	}
	if b := p.number("ADBE Text Character Blend Mode", 1); b.First() > 1 {
		blend, known := shape.BlendMode(b.First())
		if o.blend = blend; !known {
			p.text.lack("the blending of characters with each other")
		}
	}
	return o
}

// ordered tells whether fills and strokes are in another order than characters say.
func (o *options) ordered() bool {
	return o.order.First() == fillsAbove || o.order.First() == strokesAbove
}

// alignHeight is how far above the baseline, in sizes, a vertical grouping alignment of −100 % lies, as in exports to Lottie.
const alignHeight = 1.2 * 0.714

// group finds what each glyph turns about: the middle of its group on the baseline, and from there as far as it is aligned, −100 % being
// the left end and 100 % the right one.
func (s *setting) group(o *options) {
	grouping, align := int(s.number(&o.grouping)), o.alignment.At(s.eval, s.t)
	for from := 0; from < len(s.glyphs); {
		to := from + 1
		for to < len(s.glyphs) && together(grouping, &s.glyphs[from], &s.glyphs[to]) {
			to++
		}
		pivot := middle(s.glyphs[from:to], align)
		for i := range s.glyphs[from:to] {
			s.glyphs[from+i].pivot = pivot
		}
		from = to
	}
}

func together(grouping int, a, b *glyph) bool {
	switch grouping {
	case groupWord:
		return a.Line == b.Line && a.Word == b.Word
	case groupLine:
		return a.Line == b.Line
	}
	return grouping == groupAll
}

func middle(glyphs []glyph, align [4]float64) geom.Point {
	left, right := math.Inf(1), math.Inf(-1)
	for i := range glyphs {
		if g := &glyphs[i]; !g.Space() || len(glyphs) == 1 {
			left, right = min(left, g.x), max(right, g.x+g.Advance)
		}
	}
	if left > right {
		left, right = glyphs[0].x, glyphs[0].x
	}
	top, bottom := glyphs[0].y, glyphs[len(glyphs)-1].y
	return geom.Point{
		X: (left+right)/2 + align[0]/100*(right-left)/2,
		Y: (top+bottom)/2 + align[1]/100*alignHeight*glyphs[0].Style.Size,
	}
}
