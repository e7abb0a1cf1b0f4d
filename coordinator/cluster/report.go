package cluster

import (
	"context"
	"time"

	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/raftstore"
)

// nodeReport is what a coordinator tells another about itself.
type nodeReport struct {
	farm.Coordinator
	Farm      string    `json:"farm"`
	Eras      []string  `json:"eras,omitempty"`   // see eraFile
	Blank     bool      `json:"blank,omitempty"`  // never was part of a farm
	Expect    int       `json:"expect,omitempty"` // how many coordinators begin the farm
	Seen      []string  `json:"seen,omitempty"`   // ids of the blank ones that it sees, itself included, sorted
	Knows     []string  `json:"knows,omitempty"`  // addresses of coordinators it knows
	Leader    string    `json:"leader,omitempty"` // the leader's address
	Term      uint64    `json:"term"`
	Committed uint64    `json:"committed"`
	Applied   uint64    `json:"applied"`
	State     uint64    `json:"state"`                 // of raftstore.Progress
	Print     string    `json:"fingerprint,omitempty"` // fingerprint of the state at the requested index, or at State
	MarkIndex uint64    `json:"markIndex,omitempty"`   // of raftstore.Store.Mark
	Mark      string    `json:"mark,omitempty"`        // the fingerprint there
	Mended    int64     `json:"mended,omitempty"`      // how often it rebuilt a damaged state file since its start
	Verified  time.Time `json:"verified,omitzero"`     // when it last verified that file
	Free      int64     `json:"free"`                  // bytes free on the disk
	Secrets   []string  `json:"secrets,omitempty"`     // ids of the keys for secrets, newest last
	Trouble   string    `json:"trouble,omitempty"`     // why it is not ready
	Damaged   int       `json:"damaged,omitempty"`     // number of the farm's files it found damaged
	// Usage is what it keeps on its disk; zero of one of an older release.
	Usage raftstore.Usage `json:"usage,omitzero"`
}

// reportSelf returns this node's report, with the fingerprint at index, or at the newest for 0.
func (c *Cluster) reportSelf(index uint64) nodeReport {
	p := c.raft.Progress()
	_, leader := c.raft.Leader()
	r := nodeReport{
		Coordinator: c.self(), Farm: c.cfg.Farm, Eras: c.cfg.Eras, Blank: c.raft.Blank(), Expect: c.cfg.Wanted.Expect, Leader: leader,
		Term: p.Term, Committed: p.Committed, Applied: p.Applied, State: p.State, Secrets: c.ring.IDs(),
	}
	r.Damaged = len(c.storage.Proofs().Damaged())
	if index == 0 {
		index = p.State
	}
	r.Print, _ = c.raft.FingerprintAt(index)
	r.MarkIndex, r.Mark = c.raft.Mark()
	whole := c.raft.Integrity()
	r.Mended, r.Verified = whole.Rebuilds, whole.Verified
	if free, err := c.raft.Free(); err == nil {
		r.Free = free
	}
	if usage, err := c.raft.Usage(); err == nil {
		r.Usage = usage
	}
	if r.Blank {
		r.Seen, r.Knows = c.blank(), append(c.callable(), c.peers.Address())
	}
	if err := c.farm.Ready(); err != nil {
		r.Trouble = err.Error()
	}
	return r
}

// reportAsked asks for a report.
type reportAsked struct {
	Index uint64 // of the fingerprint; 0 for the newest
}

// report asks the node at an address for its report.
func (c *Cluster) report(ctx context.Context, address string, index uint64) (nodeReport, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return peers.Ask(ctx, c.peers, address, askReport, reportAsked{Index: index})
}
