package dispatch

import (
	"context"
	"fmt"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// maxInventoryItems bounds each list of an inventory.
const maxInventoryItems = 100_000

// inventoryOf is what the state has of an agent's inventory.
func (d *Dispatcher) inventoryOf(agent string) (farm.Inventory, error) {
	var a farm.Agent
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		a, err = tx.Agent(agent)
		return err
	})
	if err != nil {
		return farm.Inventory{}, fmt.Errorf("reading what agent %s has: %w", agent, err)
	}
	return a.Inventory, nil
}

// takeInventory records what an agent has, and gives it work by that from now on.
func (l *leader) takeInventory(ctx context.Context, s *session, inv farm.Inventory) {
	if max(len(inv.Engines), len(inv.Fonts), len(inv.Effects), len(inv.Plugins), len(inv.Codecs), len(inv.Encoders), len(inv.Tags), len(inv.Roots)) > maxInventoryItems {
		l.d.log.Warn("an agent tells of more than any machine has", "agent", s.agent)
		return
	}
	inv = l.recordable(s, inv)
	known, err := l.d.inventoryOf(s.agent)
	if err != nil {
		l.d.log.Error("taking in what an agent has", "agent", s.agent, "error", err)
		return
	}
	if known.Hash() != inv.Hash() {
		l.mu.Lock()
		name := s.name
		l.mu.Unlock()
		if _, err := l.d.state.Apply(ctx, command.PutInventory{ID: s.agent, Name: name, Inventory: inv}); err != nil {
			l.d.log.Error("recording what an agent has", "agent", s.agent, "error", err)
			return
		}
	}
	l.equip(s, inv)
}

// recordable is what a machine has, as far as the farm's level lets it be recorded. The rest is recorded when the level rises.
func (l *leader) recordable(s *session, inv farm.Inventory) farm.Inventory {
	l.mu.Lock()
	s.unrecorded = &inv // before the level is read, so that one who raises it meanwhile finds this
	l.mu.Unlock()
	told := l.d.cluster.Recordable(inv)
	if (told.Roots == nil) == (inv.Roots == nil) && len(told.Encoders) == len(inv.Encoders) && (told.FFmpeg == nil) == (inv.FFmpeg == nil) {
		l.mu.Lock()
		defer l.mu.Unlock()
		s.unrecorded = nil
	}
	return told
}

// LevelRaised records, if this node leads, what machines told before the farm's level let it be recorded.
func (d *Dispatcher) LevelRaised(ctx context.Context) {
	if l := d.leading(); l != nil {
		l.recordRest(ctx)
	}
}

// recordRest records what machines told before the farm's level let it be recorded.
func (l *leader) recordRest(ctx context.Context) {
	rest := map[*session]farm.Inventory{}
	l.mu.Lock()
	for _, s := range l.sessions {
		if s.unrecorded != nil {
			rest[s] = *s.unrecorded
		}
	}
	l.mu.Unlock()
	for s, inv := range rest {
		l.takeUpReport(ctx, s, wire.Message{Inventory: &inv})
	}
}

// equip makes the session's machine one with this inventory.
func (l *leader) equip(s *session, inv farm.Inventory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions[s.agent] == s {
		l.queue.SetMachine(schedule.MachineOf(farm.Agent{
			ID: s.agent, Name: s.name, Inventory: inv, Tags: l.standings[s.agent].tags,
		}))
		l.queue.SetCached(s.agent, s.cached)
		stand := l.standings[s.agent]
		stand.installed = inv.Tags
		l.standings[s.agent] = stand
		s.system, s.arch = inv.OS, inv.Arch
		s.equipped, s.slots = true, inv.PossibleSlots()
		l.placeLocked(s)
	}
	l.wake()
	l.d.events.Spread(farm.Event{Kind: farm.EventMachine, ID: s.agent})
}

// noteCached keeps which template files an agent says it has, the last used first.
func (l *leader) noteCached(s *session, cached []string) {
	if cached == nil || len(cached) > maxInventoryItems {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.cached = cached
	l.queue.SetCached(s.agent, cached)
}

// notePresence keeps whether the machine's own rules let it work now.
func (l *leader) notePresence(s *session, a farm.Availability) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions[s.agent] != s || s.availability == a {
		return
	}
	s.availability = a
	l.placeLocked(s)
	l.d.events.Spread(farm.Event{Kind: farm.EventMachine, ID: s.agent})
}
