package shape

import (
	"math"
	"slices"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// maxCopies limits a repeater, maxPaths and maxRepeated what repeaters within repeaters make, in paths and in their steps.
const (
	maxCopies   = 1000
	maxPaths    = 50000
	maxRepeated = 300000
)

// repeatAbove is the value of the popup "Composite" for copies above the original.
const repeatAbove = 2

// repeat is Repeater: it adds copies of what is above it, each moved once more than the previous one.
type repeat struct {
	copies, offset, order   eval.Number
	anchor, position, scale eval.Vector
	turn, first, last       eval.Number
}

func newRepeat(p params) operator {
	t := p.child("ADBE Vector Repeater Transform")
	return &repeat{
		copies: p.number("ADBE Vector Repeater Copies", 3), offset: p.number("ADBE Vector Repeater Offset", 0), order: p.number("ADBE Vector Repeater Order", 1),
		anchor: t.point("ADBE Vector Repeater Anchor"), position: t.point("ADBE Vector Repeater Position"),
		scale: t.vector("ADBE Vector Repeater Scale", 100, 100), turn: t.number("ADBE Vector Repeater Rotation", 0),
		first: t.number("ADBE Vector Repeater Opacity 1", 100), last: t.number("ADBE Vector Repeater Opacity 2", 100),
	}
}

func (o *repeat) apply(c *contents, m *moment) {
	limit := min(maxCopies, maxPaths/max(1, len(c.paths)+count(c.paints)), max(1, maxRepeated/max(1, c.steps())))
	copies := m.atMost(int(max(0, min(maxCopies+1, m.number(&o.copies)))), limit)
	offset := m.number(&o.offset)
	anchor, at, scale := m.point(&o.anchor), m.point(&o.position), m.point(&o.scale)
	turn, first, last := m.number(&o.turn), m.number(&o.first)/100, m.number(&o.last)/100
	below := m.number(&o.order) != repeatAbove
	var out contents
	for i := range copies {
		n := float64(i) + offset
		to := geom.Translate(anchor.X+at.X*n, anchor.Y+at.Y*n).Mul(geom.Rotate(turn * n)).
			Mul(geom.Scale(math.Pow(scale.X/100, n), math.Pow(scale.Y/100, n))).Mul(geom.Translate(-anchor.X, -anchor.Y))
		share := 0.0
		if copies > 1 {
			share = float64(i) / float64(copies)
		}
		one := c.copied()
		one.transform(to, first+(last-first)*share)
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
	var each func(list []painted) []painted
	each = func(list []painted) []painted {
		out := slices.Clone(list)
		for i := range out {
			out[i].paths, out[i].group = follow(out[i].paths), each(out[i].group)
		}
		return out
	}
	return contents{paths: follow(c.paths), paints: each(c.paints)}
}

// count is how many paints there are, with those of groups.
func count(list []painted) int {
	n := len(list)
	for i := range list {
		n += count(list[i].group)
	}
	return n
}
