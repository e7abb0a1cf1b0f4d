package raftstore

import (
	"github.com/hashicorp/raft"

	"overcrank/durable"
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// applyCommands applies entries as one change.
func (m *machine) applyCommands(logs []*raft.Log, answers []any) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if err := m.broken.Load(); err != nil {
		return *err
	}
	entries := make([]tables.Entry, len(logs))
	for i, log := range logs {
		entries[i] = tables.Entry{Index: log.Index, Term: log.Term, Data: log.Data, Members: log.Type == raft.LogConfiguration}
	}
	applied, err := m.rules.Apply(m.state, entries)
	if err != nil {
		return err
	}
	var (
		grown   int64
		steps   = make([]step, 0, len(logs))
		results = make([]command.Result, 0, len(logs)) // of commands that are new
		fresh   = make([]int, 0, len(logs))            // their places in logs
	)
	for i, a := range applied {
		if !entries[i].Members || !a.New {
			answers[i] = &applied[i].Result
		}
		if !a.New {
			continue
		}
		steps = append(steps, step{entries[i].Index, a.Fingerprint})
		if !entries[i].Members {
			grown += int64(len(entries[i].Data))
			results, fresh = append(results, a.Result), append(fresh, i)
		}
	}
	m.trail.add(steps)
	m.grown.Add(grown)
	m.logged.Add(grown)
	m.entries.Add(int64(len(fresh)))
	for i, a := range applied {
		m.reportBreaches(entries[i].Index, a.Breaches)
		if part := a.Staged; part != nil {
			if err := m.incoming.add(part.Restoration, part.Number, part.Rows); err != nil && !durable.Blocked(err) {
				return err
			}
		}
	}
	m.publish(logs, results, fresh, max(m.last.Load(), logs[len(logs)-1].Index))
	return nil
}

// reportBreaches raises the alarm for each breach that the entry of an index has met.
func (m *machine) reportBreaches(index uint64, found []error) {
	for _, what := range found {
		m.breaches.add(index, what)
		if m.alarm != nil {
			m.alarm(index, what)
		}
	}
}
