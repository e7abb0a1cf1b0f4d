package cluster

import (
	"context"
	"time"

	"overcrank/coordinator/membership"
)

// Coordinators compare what they hold: each says with its reports what fingerprint its state has at two indexes, the newest and one
// that all remember for long, and whoever hears it compares that with its own at the same index. A fingerprint goes on over the rows
// of every entry, so states that differed once differ at every later index, until one of them is replaced.

// comparison is what came of comparing another node's state with that of this one.
type comparison struct {
	index   uint64 // of the last that both had, 0 before there was one
	differs bool
}

// compareWith compares the fingerprints of a report with those of this node.
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

// verdict is what comparing the members came to.
type verdict struct {
	differing []string // ids of the members whose state is not that of the others, in the order of the members
	self      bool     // this node is one of them
}

// compared says whose state differs. A node that has more of the others against it than with it is the one that is wrong; between
// two, the leader's state is what the farm goes by.
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

// Differs says whether it is this node's state that differs from that of the others.
func (c *Cluster) Differs() bool { return c.compared().self }

// astray adds to the members which of them hold another state than the others.
func (c *Cluster) astray(members []membership.Member) {
	v := c.compared()
	for _, id := range v.differing {
		for i := range members {
			members[i].Astray = members[i].Astray || members[i].ID == id
		}
	}
}

// yieldLead hands the lead over when it is this node's state that differs: what it answers may be wrong.
func (c *Cluster) yieldLead(ctx context.Context) {
	if !c.Differs() || time.Since(c.loop.yielded) < yieldEvery {
		return
	}
	c.loop.yielded = time.Now()
	c.log.Error("this coordinator holds another state than the others and hands the lead over", "way out", membership.AstrayWayOut)
	if err := c.raft.TransferLead(ctx, ""); err != nil {
		c.log.Warn("handing the lead over", "error", err)
	}
}

// yieldEvery is how often a leader that should not lead tries to hand the lead over.
const yieldEvery = 10 * time.Second
