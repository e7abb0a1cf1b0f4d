package cluster

import (
	"context"
	"time"

	"overcrank/coordinator/membership"
)

// Coordinators compare their states: each report carries the fingerprints of the state at two indexes, the newest and one that all
// remember for long, and the receiver compares them with its own at the same indexes. A fingerprint covers the rows of every entry so
// far, so states that differed once differ at every later index, until one of them is replaced.

// comparison is the result of comparing another node's state with this one's.
type comparison struct {
	index   uint64 // the last index that both knew, 0 before there was one
	differs bool
}

// compareWith compares a report with this node's state; before when no index is known to both.
func (c *Cluster) compareWith(r nodeReport, before comparison) comparison {
	for _, at := range []struct {
		index uint64
		print string
	}{{r.State, r.Print}, {r.MarkIndex, r.Mark}} {
		if at.print == "" || at.index == 0 {
			continue
		}
		if own, known := c.raft.FingerprintAt(at.index); known {
			return comparison{at.index, own != at.print}
		}
	}
	return before
}

// verdict is the result of comparing all members.
type verdict struct {
	differing []string // ids of the members whose state differs, in the members' order
	self      bool     // this node is among them
}

// compared finds the members whose state differs. This node is wrong if more of the others disagree with it than agree; in a tie the
// leader's state counts.
func (c *Cluster) compared() (v verdict) {
	list, _, err := c.raft.Members()
	if err != nil {
		return v
	}
	leader, _ := c.raft.Leader()
	own, all, with := c.raft.ID(), c.sightings(), 1
	var against []string
	for _, member := range list {
		s, heard := all[member.ID]
		switch {
		case member.ID == own || !heard || s.compared.index == 0:
		case s.compared.differs:
			against = append(against, member.ID)
		default:
			with++
		}
	}
	switch {
	case len(against) == 0:
	case len(against) > with || len(against) == with && leader != own:
		v.differing, v.self = []string{own}, true
	default:
		v.differing = against
	}
	return v
}

// Differs reports whether this node's state differs from that of the others.
func (c *Cluster) Differs() bool { return c.compared().self }

// astray marks the members whose state differs.
func (c *Cluster) astray(members []membership.Member) {
	v := c.compared()
	for _, id := range v.differing {
		for i := range members {
			members[i].Astray = members[i].Astray || members[i].ID == id
		}
	}
}

// yieldLead hands the lead over when this node's state differs, since its answers may be wrong.
func (c *Cluster) yieldLead(ctx context.Context) {
	if !c.Differs() || time.Since(c.loop.yielded) < yieldEvery {
		return
	}
	c.loop.yielded = time.Now()
	c.log.Error("the state of this coordinator differs from the others'; it hands the lead over", "way out", membership.AstrayWayOut)
	if err := c.raft.TransferLead(ctx, ""); err != nil {
		c.log.Warn("handing the lead over", "error", err)
	}
}

// yieldEvery is how often a leader with a differing state tries to hand the lead over.
const yieldEvery = 10 * time.Second
