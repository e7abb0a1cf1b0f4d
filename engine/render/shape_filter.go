package render

import (
	"math"

	"overcrank/aep"
	"overcrank/engine/geom"
)

// trim keeps the stretch from Start to End of the outlines so far.
func (b *shapeBuilder) trim(c *contents, p *aep.Property) {
	start := b.number(p, "ADBE Vector Trim Start", 0) / 100
	end := b.number(p, "ADBE Vector Trim End", 100) / 100
	offset := b.number(p, "ADBE Vector Trim Offset", 0) / 360
	individually := b.number(p, "ADBE Vector Trim Type", 1) == 2
	if start > end {
		start, end = end, start
	}
	start, end = max(0, min(1, start)), max(0, min(1, end))
	if end-start >= 1 {
		return
	}
	start, end = start+offset, end+offset
	shift := math.Floor(start)
	start, end = start-shift, end-shift
	if individually && len(c.outlines) > 1 {
		all := c.joined()
		c.outlines = []geom.Outline{all.Trim(start, end)}
		return
	}
	for i, o := range c.outlines {
		c.outlines[i] = o.Trim(start, end)
	}
}

// The modes of Merge Paths that come to the non-zero fill of all paths together.
const (
	mergeOnly = 1
	mergeAdd  = 2
)

// merge makes one outline of those so far. Paths that are to be cut by each other are only laid together.
func (b *shapeBuilder) merge(c *contents, p *aep.Property) {
	if len(c.outlines) < 2 {
		return
	}
	if mode := b.number(p, "ADBE Vector Merge Type", mergeAdd); mode != mergeOnly && mode != mergeAdd {
		b.w.r.undrawn(b.v, "a Merge Paths that subtracts, intersects or excludes")
	}
	c.outlines = []geom.Outline{c.joined()}
}

// maxCopies bounds a repeater.
const maxCopies = 1000

// repeat lays copies of what is above it, each moved once more than the one before.
func (b *shapeBuilder) repeat(c *contents, p *aep.Property) {
	copies := int(max(0, min(maxCopies, b.number(p, "ADBE Vector Repeater Copies", 3))))
	offset := b.number(p, "ADBE Vector Repeater Offset", 0)
	t := p.Child("ADBE Vector Repeater Transform")
	anchor, at := b.point(t, "ADBE Vector Repeater Anchor"), b.point(t, "ADBE Vector Repeater Position")
	sx, sy := b.w.pair(b.v, t, "ADBE Vector Repeater Scale", 100, 100)
	turn := b.number(t, "ADBE Vector Repeater Rotation", 0)
	first := b.number(t, "ADBE Vector Repeater Opacity 1", 100) / 100
	last := b.number(t, "ADBE Vector Repeater Opacity 2", 100) / 100
	below := b.number(p, "ADBE Vector Repeater Order", 1) != 2
	var out contents
	for i := range copies {
		n := float64(i) + offset
		m := geom.Translate(anchor.X+at.X*n, anchor.Y+at.Y*n).Mul(geom.Rotate(turn * n)).
			Mul(geom.Scale(math.Pow(sx/100, n), math.Pow(sy/100, n))).Mul(geom.Translate(-anchor.X, -anchor.Y))
		share := 0.0
		if copies > 1 {
			share = float64(i) / float64(copies)
		}
		one := contents{outlines: append([]geom.Outline(nil), c.outlines...), paints: append([]paint(nil), c.paints...)}
		one.transform(m, first+(last-first)*share)
		out.outlines = append(out.outlines, one.outlines...)
		if below {
			out.paints = append(one.paints, out.paints...)
		} else {
			out.paints = append(out.paints, one.paints...)
		}
	}
	*c = out
}
