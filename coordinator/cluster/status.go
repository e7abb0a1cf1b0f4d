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
)

// Status is what a coordinator knows of the farm's coordinators, whether or not the farm has a leader.
type Status struct {
	Farm     string // what the farm is called in its certificates
	Self     string // id of the coordinator that answers
	Leader   string // id of the one that leads, "" while none does
	Term     uint64
	Waiting  string // what the one that answers waits for before it is one of the farm's, "" when it is
	Standing membership.Standing
	Warnings []string // what somebody should do something about
	Storage  storage.Status
	Members  []Member
}

// Member is one of the farm's coordinators.
type Member struct {
	farm.Coordinator
	Role        Role
	Dead        bool
	LastContact time.Time // by the clock of the one that answers; zero when it was never heard of
	Silent      time.Duration
	Lag         uint64 // changes that it is behind the newest that is known to be committed
	Applied     uint64 // index of the newest entry of the log that its state has
	State       uint64 // index of the newest command that its state has
	// Fingerprint is the hash over the rows that all changes up to FingerprintIndex have written, "" when it is not known there any more.
	Fingerprint      string
	FingerprintIndex uint64
	// Differs says that its state is not that of the other coordinators.
	Differs bool
	// Rebuilds is how often it has found its state file damaged and made it again since its start, and Verified when it last looked
	// through the whole file and found what was written; zero for not yet.
	Rebuilds int64
	Verified time.Time
	Free     int64
	Trouble  string // why it is not ready
}

// Role is what a coordinator is to the others.
type Role string

// The roles.
const (
	RoleLeader   Role = "leader"
	RoleVoter    Role = "voter"
	RoleNonVoter Role = "non-voter"
)

// Status tells how the farm's coordinators are, as this one sees them: each is asked now. The fingerprints are those at an
// index; at the newest that all of them have where it is 0. CodeForbidden unless the caller is an administrator of the farm.
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
			address = "" // nobody could reach it there
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

// memberOf puts together what is known of a member: what it says of itself goes before what the state has.
func memberOf(seen membership.Member, s sighting, record farm.Coordinator, address, leader string, now time.Time) Member {
	out := Member{Coordinator: record, Dead: seen.Dead(), Silent: seen.Silent, Role: RoleNonVoter, Differs: seen.Astray}
	if s.answered {
		r := s.report
		out.Coordinator, out.Applied, out.State, out.Free, out.Trouble = r.Coordinator, r.Applied, r.State, r.Free, r.Trouble
		out.Rebuilds, out.Verified = r.Mended, r.Verified
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

// compare adds the fingerprints of those that answer, at one index.
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
