package render

import (
	"math"

	"overcrank/aep"
	"overcrank/engine/geom"
)

// trim keeps the part from Start to End of the outlines so far.
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
	if individually {
		trimAsOne(c.paths, start, end)
		return
	}
	for _, p := range c.paths {
		p.outline = p.outline.Trim(start, end)
	}
}

// trimAsOne trims paths as if each began where the previous one ends. start is below 1; an end beyond 1 continues at the
// first path.
func trimAsOne(paths []placed, start, end float64) {
	lengths := make([]float64, len(paths))
	total := 0.0
	for i, p := range paths {
		lengths[i] = p.outline.Length() * p.m.MeanScale()
		total += lengths[i]
	}
	at := 0.0
	for i, p := range paths {
		if lengths[i] == 0 {
			continue
		}
		var kept geom.Outline
		// The first round looks for the part itself, the second for what continues at the beginning.
		for _, round := range [2]float64{0, total} {
			lo := max(0, (start*total-at-round)/lengths[i])
			hi := min(1, (end*total-at-round)/lengths[i])
			if hi > lo {
				kept.Append(p.outline.Trim(lo, hi))
			}
		}
		p.outline = kept
		at += lengths[i]
	}
}

// The modes of Merge Paths that are the same as a non-zero fill of all paths together.
const (
	mergeOnly = 1
	mergeAdd  = 2
)

// merge makes one outline of those so far. Paths that should cut each other are only combined.
func (b *shapeBuilder) merge(c *contents, p *aep.Property) {
	if len(c.paths) < 2 {
		return
	}
	if mode := b.number(p, "ADBE Vector Merge Type", mergeAdd); mode != mergeOnly && mode != mergeAdd {
		b.w.r.undrawn(b.v, "a Merge Paths that subtracts, intersects or excludes")
	}
	all := paint{paths: c.paths}
	all.join()
	c.paths = []placed{{&path{all.shape.Outline}, geom.Identity}}
}

// maxCopies limits a repeater, maxPaths the result of repeaters within repeaters.
const (
	maxCopies = 1000
	maxPaths  = 50000
)

// repeat adds copies of what is above it, each moved once more than the previous one.
func (b *shapeBuilder) repeat(c *contents, p *aep.Property) {
	copies := int(max(0, min(maxCopies, b.number(p, "ADBE Vector Repeater Copies", 3))))
	copies = min(copies, maxPaths/max(1, len(c.paths)+len(c.paints)))
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
		one := c.copied()
		one.transform(m, first+(last-first)*share)
		out.paths = append(out.paths, one.paths...)
		if below {
			out.paints = append(one.paints, out.paints...)
		} else {
			out.paints = append(out.paints, one.paints...)
		}
	}
	*c = out
}

// copied is c with its own paths, for the operators after a repeater.
func (c *contents) copied() contents {
	own := make(map[*path]*path)
	follow := func(list []placed) []placed {
		out := make([]placed, len(list))
		for i, p := range list {
			if own[p.path] == nil {
				own[p.path] = &path{p.outline}
			}
			out[i] = placed{own[p.path], p.m}
		}
		return out
	}
	out := contents{paths: follow(c.paths), paints: make([]paint, len(c.paints))}
	for i, p := range c.paints {
		p.paths = follow(p.paths)
		out.paints[i] = p
	}
	return out
}
