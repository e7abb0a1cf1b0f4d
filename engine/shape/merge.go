package shape

import "overcrank/engine/geom"

// The modes of Merge Paths that are the same as a non-zero fill of all paths together.
const (
	mergeOnly = 1
	mergeAdd  = 2
)

// merge is Merge Paths: it makes one outline of those so far. Paths that should cut each other are only combined.
type merge struct{}

func newMerge(p params) operator {
	mode := p.number("ADBE Vector Merge Type", mergeAdd)
	if first := mode.First(); mode.Varies() || first != mergeOnly && first != mergeAdd {
		p.lack("a Merge Paths that subtracts, intersects or excludes")
	}
	return merge{}
}

func (merge) apply(c *contents, _ *moment) {
	if len(c.paths) < 2 {
		return
	}
	c.paths = []placed{{&path{join(c.paths)}, geom.Identity}}
}
