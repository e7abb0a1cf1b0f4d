package coordinator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"overcrank/coordinator/library"
	"overcrank/coordinator/membership"
	"overcrank/coordinator/peers"
	"overcrank/coordinator/storage"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// keep is the leader's care for the members: addresses, votes, those that are gone, and keys that somebody lacks.
func (m *cluster) keep(ctx context.Context) {
	m.leadNot(ctx)
	if m.c.leading() == nil {
		return // it has not taken up the work of its term
	}
	members, based, err := m.c.store.Members()
	if err != nil {
		return
	}
	for _, member := range members {
		if member.ID == m.c.store.ID() && !m.c.peers.Alone() && member.Address != m.c.peers.Address() {
			if err := m.c.setAddress(ctx, member, m.c.peers.Address(), based); err != nil {
				m.c.log.Warn("noting where this coordinator is", "error", err)
			}
			return
		}
	}
	m.forgetOthers(ctx, members)
	m.shareKeys(ctx)
	seen := m.members(members)
	step := membership.Next(seen, membership.Limits{PromoteAfter: m.c.cfg.PromoteAfter, RemoveAfter: m.c.cfg.RemoveDeadAfter})
	m.warn(seen)
	switch step.Change {
	case membership.Promote:
		address := addressOf(members, step.Member.ID)
		if err := m.c.store.AddVoter(ctx, step.Member.ID, address, based); err != nil {
			m.c.log.Warn("giving a coordinator its vote", "id", step.Member.ID, "error", err)
			return
		}
		m.c.log.Info("a coordinator has a vote now", "id", step.Member.ID, "name", step.Member.Name, "since", step.Why)
	case membership.Remove:
		m.c.log.Warn("a dead coordinator loses its place", "id", step.Member.ID, "name", step.Member.Name, "because", step.Why)
		if err := m.drop(ctx, step.Member.ID, addressOf(members, step.Member.ID), based, "it was "+step.Why[len("it has been "):]); err != nil {
			m.c.log.Warn("removing a dead coordinator", "id", step.Member.ID, "error", err)
		}
	}
}

// members are the farm's coordinators as the rule of membership takes them, in the order of the configuration.
func (m *cluster) members(list []raftstore.Member) []membership.Member {
	names := m.names()
	all := m.sightings()
	now := time.Now()
	out := make([]membership.Member, len(list))
	for i, member := range list {
		out[i] = membership.Member{ID: member.ID, Name: names[member.ID], Voter: member.Voter}
		if out[i].Name == "" {
			out[i].Name = member.ID
		}
		if member.ID == m.c.store.ID() {
			out[i].Mended = m.c.store.Integrity().Rebuilds
			continue
		}
		s, ok := all[member.ID]
		if !ok {
			s.heard = m.began
		}
		out[i].Silent, out[i].Skew, out[i].Mended = now.Sub(s.heard), s.skew, s.report.Mended
		if !s.keepsUp.IsZero() {
			out[i].KeepsUp = now.Sub(s.keepsUp)
		}
	}
	m.astray(out)
	return out
}

// names are the coordinators' names, by id.
func (m *cluster) names() map[string]string {
	names := map[string]string{}
	for _, r := range m.records() {
		names[r.ID] = r.Name
	}
	return names
}

func (m *cluster) records() []farm.Coordinator {
	var records []farm.Coordinator
	_ = m.c.store.View(func(tx *raftstore.Tx) (err error) {
		records, err = tx.Coordinators()
		return err
	})
	return records
}

// warn logs what is wrong with the members when that changes.
func (m *cluster) warn(seen []membership.Member) {
	quiet := slices.Clone(seen)
	for i := range quiet {
		if quiet[i].Dead() {
			quiet[i].Silent = membership.DeadAfter // so that the words do not change with every second
		}
	}
	m.sayOnce(strings.Join(m.warnings(quiet), "; "))
}

// warnings say in words what somebody should do about the farm's coordinators, none when all is well.
func (m *cluster) warnings(seen []membership.Member) []string {
	return append(membership.Warnings(seen), addressWarnings(m.records())...)
}

// damageWarnings tell of files that coordinators found damaged.
func (m *cluster) damageWarnings(seen []membership.Member) (words []string) {
	if check := m.c.storage.CheckFiles(); check.Warn {
		words = append(words, check.Found)
	}
	all := m.sightings()
	for _, member := range seen {
		if n := all[member.ID].report.Damaged; n > 0 && member.ID != m.c.store.ID() {
			words = append(words, fmt.Sprintf("%s found that %s: its /readyz and its log name them", member.Name, storage.DamageWords(n)))
		}
	}
	return words
}

// forgetOthers drops the records of coordinators that are members no more.
func (m *cluster) forgetOthers(ctx context.Context, members []raftstore.Member) {
	for _, r := range m.records() {
		if addressOf(members, r.ID) != "" || slices.ContainsFunc(members, func(member raftstore.Member) bool { return member.ID == r.ID }) {
			continue
		}
		m.record(ctx, command.RemoveCoordinator{ID: r.ID})
	}
}

// shareKeys gives the keys for secrets to members that lack some of them, as one that was let in while they were changed.
func (m *cluster) shareKeys(ctx context.Context) {
	own := m.c.ring.IDs()
	if len(own) == 0 {
		return
	}
	for _, s := range m.sightings() {
		has := s.report.Secrets
		if !s.answered || time.Since(s.heard) > membership.DeadAfter || s.report.Blank || hasKeys(has, own) {
			continue
		}
		if _, err := peers.Ask(ctx, m.c.peers, s.report.Cluster, askTakeKeys, library.Keys{Keys: m.c.ring.Keys()}); err != nil {
			m.c.log.Debug("giving a coordinator the keys for secrets", "id", s.report.ID, "error", err)
		}
	}
}

func addressOf(members []raftstore.Member, id string) string {
	for _, m := range members {
		if m.ID == id {
			return m.Address
		}
	}
	return ""
}

// hasKeys tells whether a coordinator has all keys for secrets of the leader, and seals with the same one.
func hasKeys(has, own []string) bool {
	if len(has) == 0 || has[len(has)-1] != own[len(own)-1] {
		return false
	}
	return !slices.ContainsFunc(own, func(id string) bool { return !slices.Contains(has, id) })
}
