package shape

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// trim is Trim Paths: it keeps a part of the outlines so far.
type trim struct{ start, end, offset, how eval.Number }

// trimIndividually is the value of the popup "Trim Multiple Shapes" for paths that are trimmed as if they were one.
const trimIndividually = 2

func newTrim(p params) operator {
	return &trim{
		start: p.number("ADBE Vector Trim Start", 0), end: p.number("ADBE Vector Trim End", 100),
		offset: p.number("ADBE Vector Trim Offset", 0), how: p.number("ADBE Vector Trim Type", 1),
	}
}

func (o *trim) apply(c *contents, m *moment) {
	start, end, offset := m.number(&o.start)/100, m.number(&o.end)/100, m.number(&o.offset)/360
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
	if m.number(&o.how) == trimIndividually {
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
