package shape

import (
	"slices"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// The values of the popup "Mode" of Merge Paths.
const (
	mergeOnly = iota + 1 // one compound path; the fill rule tells what is inside
	mergeAdd
	mergeSubtract // "overlying paths from the underlying path", says Adobe's help
	mergeIntersect
	mergeExclude
)

// merge is Merge Paths: it makes one outline of those so far.
type merge struct{ mode eval.Number }

func newMerge(p params) operator { return &merge{p.number("ADBE Vector Merge Type", mergeOnly)} }

func (o *merge) apply(c *contents, m *moment) {
	if len(c.paths) < 2 {
		return
	}
	outline := join(c.paths)
	// Of paths that enclose nothing, or have too many lines to cut each other, there is the compound path at least; of the latter it is told.
	if inside := merged(m.number(&o.mode)); inside != nil && !slices.ContainsFunc(outline.Contours(), open) {
		shapes := make([]geom.Outline, len(c.paths))
		for i, p := range c.paths {
			shapes[i] = p.outline.Transform(p.m)
		}
		if combined, ok := geom.Combine(shapes, inside); ok {
			outline = combined
		} else {
			m.over = true
		}
	}
	c.paths = []placed{{&path{outline}, geom.Identity}}
}

func open(c geom.Contour) bool { return !c.Closed }

// merged tells what is inside of merged paths, by which of them, from the top, it is in; nil when the fill rule does.
func merged(mode float64) func(in []bool) bool {
	switch mode {
	case mergeAdd:
		return func(in []bool) bool { return slices.Contains(in, true) }
	case mergeSubtract:
		return func(in []bool) bool { return in[len(in)-1] && !slices.Contains(in[:len(in)-1], true) }
	case mergeIntersect:
		return func(in []bool) bool { return !slices.Contains(in, false) }
	case mergeExclude:
		return func(in []bool) bool {
			odd := false
			for _, one := range in {
				odd = odd != one
			}
			return odd
		}
	}
	return nil
}
