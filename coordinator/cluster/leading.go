package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"overcrank/coordinator/membership"
	"overcrank/coordinator/storage"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// asLeader does one round of the leader's work: addresses, votes, removals, and keys that some member lacks.
func (c *Cluster) asLeader(ctx context.Context) {
	c.yieldLead(ctx)
	if !c.farm.Works() {
		return // it has not taken up the leader's work yet
	}
	members, based, err := c.raft.Members()
	if err != nil {
		return
	}
	for _, member := range members {
		if member.ID == c.raft.ID() && !c.peers.Alone() && member.Address != c.peers.Address() {
			if err := c.setAddress(ctx, member, c.peers.Address(), based); err != nil {
				c.log.Warn("noting where this coordinator is", "error", err)
			}
			return
		}
	}
	c.forgetFormer(ctx, members)
	c.shareKeys(ctx)
	seen := c.members(members)
	step := membership.Next(seen, membership.Limits{PromoteAfter: c.cfg.PromoteAfter, RemoveAfter: c.cfg.RemoveDeadAfter})
	c.warn(seen)
	switch step.Change {
	case membership.Promote:
		address := addressOf(members, step.Member.ID)
		if err := c.raft.AddVoter(ctx, step.Member.ID, address, based); err != nil {
			c.log.Warn("giving a coordinator its vote", "id", step.Member.ID, "error", err)
			return
		}
		c.log.Info("gave a coordinator its vote", "id", step.Member.ID, "name", step.Member.Name, "since", step.Why)
	case membership.Remove:
		c.log.Warn("a dead coordinator loses its place", "id", step.Member.ID, "name", step.Member.Name, "because", step.Why)
		if err := c.drop(ctx, step.Member.ID, addressOf(members, step.Member.ID), based, "it was "+step.Why[len("it has been "):]); err != nil {
			c.log.Warn("removing a dead coordinator", "id", step.Member.ID, "error", err)
		}
	}
}

// members returns the coordinators as membership.Next takes them, in the order of the configuration.
func (c *Cluster) members(list []raftstore.Member) []membership.Member {
	names := c.names()
	all := c.sightings()
	now := time.Now()
	out := make([]membership.Member, len(list))
	for i, member := range list {
		out[i] = membership.Member{ID: member.ID, Name: names[member.ID], Voter: member.Voter}
		if out[i].Name == "" {
			out[i].Name = member.ID
		}
		if member.ID == c.raft.ID() {
			out[i].Mended = c.raft.Integrity().Rebuilds
			continue
		}
		s, ok := all[member.ID]
		if !ok {
			s.heard = c.began
		}
		out[i].Silent, out[i].Skew, out[i].Mended = now.Sub(s.heard), s.skew, s.report.Mended
		if !s.keepsUp.IsZero() {
			out[i].KeepsUp = now.Sub(s.keepsUp)
		}
	}
	c.astray(out)
	return out
}

// names returns the coordinators' names, by id.
func (c *Cluster) names() map[string]string {
	names := map[string]string{}
	for _, r := range c.records() {
		names[r.ID] = r.Name
	}
	return names
}

func (c *Cluster) records() []farm.Coordinator {
	var records []farm.Coordinator
	_ = c.state.View(func(tx *raftstore.Tx) (err error) {
		records, err = tx.Coordinators()
		return err
	})
	return records
}

// warn logs the warnings when they change.
func (c *Cluster) warn(seen []membership.Member) {
	quiet := slices.Clone(seen)
	for i := range quiet {
		if quiet[i].Dead() {
			quiet[i].Silent = membership.DeadAfter // so that the text does not change every second
		}
	}
	c.sayOnce(strings.Join(c.warnings(quiet), "; "))
}

// warnings lists what somebody should do about the coordinators; none when all is well.
func (c *Cluster) warnings(seen []membership.Member) []string {
	return append(membership.Warnings(seen), addressWarnings(c.records())...)
}

// damageWarnings lists the coordinators that found damaged files.
func (c *Cluster) damageWarnings(seen []membership.Member) (words []string) {
	if check := c.storage.CheckFiles(); check.Warn {
		words = append(words, check.Found)
	}
	all := c.sightings()
	for _, member := range seen {
		if n := all[member.ID].report.Damaged; n > 0 && member.ID != c.raft.ID() {
			words = append(words, fmt.Sprintf("%s found that %s: its /readyz and its log name them", member.Name, storage.DamageWords(n)))
		}
	}
	return words
}

// forgetFormer deletes the records of coordinators that are no longer members.
func (c *Cluster) forgetFormer(ctx context.Context, members []raftstore.Member) {
	for _, r := range c.records() {
		if addressOf(members, r.ID) != "" || slices.ContainsFunc(members, func(member raftstore.Member) bool { return member.ID == r.ID }) {
			continue
		}
		c.record(ctx, command.RemoveCoordinator{ID: r.ID})
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
