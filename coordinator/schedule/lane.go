package schedule

import (
	"math"
	"math/bits"
)

// lane is the tasks of one team at one level. Its groups are indexed by class number, in blocks of 64 that know their most urgent one.
// Finding the most urgent group among those that fit a machine takes a few word comparisons, since a block that cannot have it is skipped
// as a whole.
type lane struct {
	team   *team
	level  level
	blocks []*block // nil where the lane has no groups
	ready  int      // items in the heaps of its groups, without those that a budget holds
	barren uint64   // the last round that found nothing more to assign in it
}

type block struct {
	held   uint64 // bit set of the groups with ready tasks, without those that a budget holds
	least  int64  // the least key of those groups
	keys   [64]int64
	groups [64]*group
	live   int // groups
}

// group is the tasks of one class in one lane.
type group struct {
	lane  *lane
	class *class
	ready heap
	tasks int // ready, parked, or with a later NotBefore
	// held says that a budget keeps its tasks from being assigned: they are ready, and in no order; see budget.go.
	held bool

	// The line of groups by when they were last served; see claim.go.
	since      int64
	prev, next *group
}

func (q *Queue) groupOf(l *lane, c *class) *group {
	b := l.blockOf(c.index >> 6)
	g := b.groups[c.index&63]
	if g == nil {
		g = &group{lane: l, class: c, held: !q.whyHeld(l.team.id, c.need.Project).IsZero()}
		b.groups[c.index&63] = g
		b.live++
	}
	return g
}

func (l *lane) blockOf(i int) *block {
	for len(l.blocks) <= i {
		l.blocks = append(l.blocks, nil)
	}
	if l.blocks[i] == nil {
		l.blocks[i] = &block{least: math.MaxInt64}
	}
	return l.blocks[i]
}

// dropGroup forgets a group without tasks.
func (l *lane) dropGroup(g *group) {
	i := g.class.index
	b := l.blocks[i>>6]
	b.groups[i&63] = nil
	if b.live--; b.live == 0 {
		l.blocks[i>>6] = nil
	}
}

// rank updates the lane after the most urgent item of a group may have changed.
func (l *lane) rank(g *group) {
	b, i := l.blocks[g.class.index>>6], g.class.index&63
	was := int64(math.MaxInt64)
	if b.held&(1<<i) != 0 {
		was = b.keys[i]
	}
	idle := len(g.ready) == 0 || g.held
	if idle {
		b.held &^= 1 << i
	} else {
		b.held |= 1 << i
		b.keys[i] = g.ready[0].key
		b.least = min(b.least, b.keys[i])
	}
	if was != b.least || !idle && b.keys[i] == was {
		return
	}
	b.least = math.MaxInt64
	for held := b.held; held != 0; held &= held - 1 {
		b.least = min(b.least, b.keys[bits.TrailingZeros64(held)])
	}
}

// best is the group with the most urgent item among the classes in may; nil when there is none.
func (l *lane) best(may set) *group {
	var best *group
	least := int64(math.MaxInt64)
	for w, b := range l.blocks[:min(len(l.blocks), len(may))] {
		if b == nil || b.held&may[w] == 0 || b.least > least {
			continue
		}
		for held := b.held & may[w]; held != 0; held &= held - 1 {
			i := bits.TrailingZeros64(held)
			if key := b.keys[i]; best == nil || key < least || key == least && b.groups[i].ready[0].before(best.ready[0]) {
				best, least = b.groups[i], key
			}
		}
	}
	return best
}
