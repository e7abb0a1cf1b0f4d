package coordinator

import (
	"context"
	"time"

	"overcrank/coordinator/peers"
	"overcrank/farm"
)

// nodeReport is what a coordinator says of itself to another.
type nodeReport struct {
	farm.Coordinator
	Farm      string    `json:"farm"`
	Eras      []string  `json:"eras,omitempty"`   // see eraFile
	Blank     bool      `json:"blank,omitempty"`  // has never been part of a farm
	Expect    int       `json:"expect,omitempty"` // how many coordinators are to begin the farm
	Seen      []string  `json:"seen,omitempty"`   // ids of the blank ones that it has seen, itself among them, sorted
	Knows     []string  `json:"knows,omitempty"`  // addresses of coordinators that it knows of
	Leader    string    `json:"leader,omitempty"` // address of the one that leads
	Term      uint64    `json:"term"`
	Committed uint64    `json:"committed"`
	Applied   uint64    `json:"applied"`
	State     uint64    `json:"state"`                 // of raftstore.Progress
	Print     string    `json:"fingerprint,omitempty"` // of the state at the index that was asked for, or at State
	MarkIndex uint64    `json:"markIndex,omitempty"`   // of raftstore.Store.Mark
	Mark      string    `json:"mark,omitempty"`        // the fingerprint there
	Mended    int64     `json:"mended,omitempty"`      // how often its state file was found damaged and made again since its start
	Verified  time.Time `json:"verified,omitzero"`     // when that file was last found whole
	Free      int64     `json:"free"`                  // bytes free on the disk
	Secrets   []string  `json:"secrets,omitempty"`     // ids of the keys for secrets, newest last
	Trouble   string    `json:"trouble,omitempty"`     // why it is not ready
	Damaged   int       `json:"damaged,omitempty"`     // files of the farm that it found damaged
}

// reportSelf says how this node is.
func (m *cluster) reportSelf(index uint64) nodeReport {
	c := m.c
	p := c.store.Progress()
	_, leader := c.store.Leader()
	r := nodeReport{
		Coordinator: m.self(), Farm: c.keys.cluster(), Eras: c.eras, Blank: c.store.Blank(), Expect: c.cfg.BootstrapExpect, Leader: leader,
		Term: p.Term, Committed: p.Committed, Applied: p.Applied, State: p.State, Secrets: c.ring.IDs(), Damaged: len(c.proofs.Damaged()),
	}
	if index == 0 {
		index = p.State
	}
	r.Print, _ = c.store.FingerprintAt(index)
	r.MarkIndex, r.Mark = c.store.Mark()
	whole := c.store.Integrity()
	r.Mended, r.Verified = whole.Rebuilds, whole.Verified
	if free, err := c.store.Free(); err == nil {
		r.Free = free
	}
	if r.Blank {
		r.Seen, r.Knows = m.blank(), append(m.callable(), c.peers.Address())
	}
	if err := c.Ready(); err != nil {
		r.Trouble = err.Error()
	}
	return r
}

// reportAsked asks a coordinator how it is.
type reportAsked struct {
	Index uint64 // at which the fingerprint is to be; 0 for the newest
}

// report asks the node at an address how it is.
func (m *cluster) report(ctx context.Context, address string, index uint64) (nodeReport, error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	return peers.Ask(ctx, m.c.peers, address, askReport, reportAsked{Index: index})
}
