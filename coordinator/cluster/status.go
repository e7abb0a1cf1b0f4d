package cluster

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"overcrank/coordinator/membership"
	"overcrank/coordinator/storage"
	"overcrank/farm"
	"overcrank/raftstore"
)

// Status is what a coordinator knows of all coordinators, with or without a leader.
type Status struct {
	Farm     string // name of the farm in its certificates
	Self     string // id of the coordinator that answers
	Leader   string // id of the leader, "" while there is none
	Term     uint64
	Waiting  string // what the answering one waits for before it is a member, "" for a member
	Standing membership.Standing
	Warnings []string // what somebody should act on
	Storage  storage.Status
	Members  []Member
	Backups  []farm.Backup // that the farm remembers, the newest first
}

// Member is one of the farm's coordinators.
type Member struct {
	farm.Coordinator
	Role        Role
	Dead        bool
	LastContact time.Time // by the answering coordinator's clock; zero when there was none
	Silent      time.Duration
	Lag         uint64 // how many changes it is behind the newest known commit
	Applied     uint64 // index of the newest log entry in its state
	State       uint64 // index of the newest command in its state
	// Fingerprint is the hash over the rows written by all changes up to FingerprintIndex; "" when that coordinator no longer knows it.
	Fingerprint      string
	FingerprintIndex uint64
	// Differs says that its state differs from that of the other coordinators.
	Differs bool
	// Rebuilds is how often since its start it found its state file damaged and rebuilt it. Verified is when it last verified the whole
	// file; zero for not yet.
	Rebuilds int64
	Verified time.Time
	Free     int64
	Usage    raftstore.Usage // zero of one that does not answer
	Trouble  string          // why it is not ready
}

// Role is the part a coordinator plays in Raft.
type Role string

// The roles.
const (
	RoleLeader   Role = "leader"
	RoleVoter    Role = "voter"
	RoleNonVoter Role = "non-voter"
)

// Status reports how the coordinators are, as this one sees them; each is asked now. Fingerprints are those at index, or, for 0, at the
// newest index that all have. CodeForbidden unless the caller is an administrator of the farm.
func (c *Cluster) Status(ctx context.Context, p farm.Principal, index uint64) (Status, error) {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return Status{}, err
	}
	c.look(ctx)
	list, _, err := c.raft.Members()
	if err != nil {
		return Status{}, err
	}
	seen, all := c.members(list), c.sightings()
	leader, _ := c.raft.Leader()
	out := Status{
		Farm: c.cfg.Farm, Self: c.raft.ID(), Leader: leader, Term: c.raft.Progress().Term,
		Standing: membership.Stand(seen), Warnings: append(c.warnings(seen), c.damageWarnings(seen)...), Storage: c.storage.Status(),
	}
	c.mu.Lock()
	out.Waiting = c.waiting
	c.mu.Unlock()
	if err := c.state.View(func(tx *raftstore.Tx) (err error) {
		out.Backups, err = tx.Backups()
		return err
	}); err != nil {
		return Status{}, err
	}
	records := map[string]farm.Coordinator{}
	for _, r := range c.records() {
		records[r.ID] = r
	}
	self := c.reportSelf(0)
	newest := self.Committed
	for i, member := range list {
		s := all[member.ID]
		if member.ID == c.raft.ID() {
			s = sighting{report: self, heard: time.Now(), answered: true}
		}
		newest = max(newest, s.report.Committed)
		address := member.Address
		if c.peers.Alone() {
			address = "" // it is not reachable there
		}
		out.Members = append(out.Members, memberOf(seen[i], s, records[member.ID], address, leader, c.state.Now()))
	}
	for i := range out.Members {
		out.Members[i].Lag = newest - min(newest, out.Members[i].Applied)
	}
	c.compare(ctx, out.Members, index)
	slices.SortFunc(out.Members, func(a, b Member) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// memberOf combines what is known of a member: its own report goes before the state.
func memberOf(seen membership.Member, s sighting, record farm.Coordinator, address, leader string, now time.Time) Member {
	out := Member{Coordinator: record, Dead: seen.Dead(), Silent: seen.Silent, Role: RoleNonVoter, Differs: seen.Astray}
	if s.answered {
		r := s.report
		out.Coordinator, out.Applied, out.State, out.Free, out.Trouble = r.Coordinator, r.Applied, r.State, r.Free, r.Trouble
		out.Rebuilds, out.Verified, out.Usage = r.Mended, r.Verified, r.Usage
		out.LastContact = now.Add(-time.Since(s.heard))
	}
	out.ID, out.Cluster, out.Name = seen.ID, address, seen.Name
	switch {
	case seen.ID == leader:
		out.Role = RoleLeader
	case seen.Voter:
		out.Role = RoleVoter
	}
	return out
}

// compare adds the fingerprints, at one index, of the members that answer.
func (c *Cluster) compare(ctx context.Context, members []Member, index uint64) {
	if index == 0 {
		for _, member := range members {
			if !member.Dead && member.State > 0 && (index == 0 || member.State < index) {
				index = member.State
			}
		}
	}
	if index == 0 {
		return
	}
	var calls sync.WaitGroup
	for i := range members {
		member := &members[i]
		switch {
		case member.ID == c.raft.ID():
			member.Fingerprint, _ = c.raft.FingerprintAt(index)
			member.FingerprintIndex = index
		case !member.Dead:
			calls.Go(func() {
				if r, err := c.report(ctx, member.Cluster, index); err == nil {
					member.Fingerprint, member.FingerprintIndex = r.Print, index
				}
			})
		}
	}
	calls.Wait()
}
