package coordinator

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

// Cluster is what a coordinator knows of the farm's coordinators, whether or not the farm has a leader.
type Cluster struct {
	Farm     string // what the farm is called in its certificates
	Self     string // id of the coordinator that answers
	Leader   string // id of the one that leads, "" while none does
	Term     uint64
	Waiting  string // what the one that answers waits for before it is one of the farm's, "" when it is
	Standing membership.Standing
	Warnings []string // what somebody should do something about
	Storage  storage.Status
	Members  []ClusterMember
}

// ClusterMember is one of the farm's coordinators.
type ClusterMember struct {
	farm.Coordinator
	Role        MemberRole
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

// MemberRole is what a coordinator is to the others.
type MemberRole string

// The roles.
const (
	RoleLeader   MemberRole = "leader"
	RoleVoter    MemberRole = "voter"
	RoleNonVoter MemberRole = "non-voter"
)

// Cluster tells how the farm's coordinators are, as this one sees them: each is asked now. The fingerprints are those at an
// index; at the newest that all of them have where it is 0. CodeForbidden unless the caller is an administrator of the farm.
func (c *Coordinator) Cluster(ctx context.Context, p farm.Principal, index uint64) (Cluster, error) {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return Cluster{}, err
	}
	m := c.cluster
	if !c.peers.Alone() {
		m.look(ctx)
	}
	list, _, err := c.store.Members()
	if err != nil {
		return Cluster{}, err
	}
	seen, all := m.members(list), m.sightings()
	leader, _ := c.store.Leader()
	out := Cluster{
		Farm: c.keys.cluster(), Self: c.store.ID(), Leader: leader, Term: c.store.Progress().Term,
		Standing: membership.Stand(seen), Warnings: append(m.warnings(seen), m.damageWarnings(seen)...), Storage: c.storage.Status(),
	}
	m.mu.Lock()
	out.Waiting = m.waiting
	m.mu.Unlock()
	records := map[string]farm.Coordinator{}
	for _, r := range m.records() {
		records[r.ID] = r
	}
	self := m.reportSelf(0)
	newest := self.Committed
	for i, member := range list {
		s := all[member.ID]
		if member.ID == c.store.ID() {
			s = sighting{report: self, heard: time.Now(), answered: true}
		}
		newest = max(newest, s.report.Committed)
		address := member.Address
		if c.peers.Alone() {
			address = "" // nobody could reach it there
		}
		out.Members = append(out.Members, memberOf(seen[i], s, records[member.ID], address, leader, c.cfg.Now()))
	}
	for i := range out.Members {
		out.Members[i].Lag = newest - min(newest, out.Members[i].Applied)
	}
	m.compare(ctx, out.Members, index)
	slices.SortFunc(out.Members, func(a, b ClusterMember) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// memberOf puts together what is known of a member: what it says of itself goes before what the state has.
func memberOf(seen membership.Member, s sighting, record farm.Coordinator, address, leader string, now time.Time) ClusterMember {
	out := ClusterMember{Coordinator: record, Dead: seen.Dead(), Silent: seen.Silent, Role: RoleNonVoter, Differs: seen.Astray}
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
func (m *cluster) compare(ctx context.Context, members []ClusterMember, index uint64) {
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
		case member.ID == m.c.store.ID():
			member.Fingerprint, _ = m.c.store.FingerprintAt(index)
			member.FingerprintIndex = index
		case !member.Dead:
			calls.Go(func() {
				if r, err := m.report(ctx, member.Cluster, index); err == nil {
					member.Fingerprint, member.FingerprintIndex = r.Print, index
				}
			})
		}
	}
	calls.Wait()
}
