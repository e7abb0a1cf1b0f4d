package raftstore

import (
	"errors"

	"github.com/hashicorp/raft"

	"overcrank/durable"
	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
)

// applyCommands applies entries as one change. One that would break the state is refused: then all of them are applied anew without it.
func (m *machine) applyCommands(logs []*raft.Log, answers []any) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if err := m.broken.Load(); err != nil {
		return *err
	}
	for breaches := map[breachAt]*breach{}; ; {
		a := applying{logs: logs, answers: answers, breaches: breaches, steps: make([]step, 0, len(logs)), fresh: make([]int, 0, len(logs))}
		err := m.tryCommands(&a)
		if found, is := errors.AsType[*breach](err); is && breaches[found.at] == nil {
			if err := m.sound(); err != nil {
				return err
			}
			breaches[found.at] = found
			continue
		}
		if err != nil {
			return err
		}
		m.trail.add(a.steps)
		m.grown.Add(a.grown)
		m.logged.Add(a.grown)
		m.entries.Add(int64(len(a.fresh)))
		for at, b := range breaches {
			a.met = append(a.met, breached{logs[at.entry].Index, b})
		}
		m.reportBreaches(a.met)
		for _, c := range a.parts {
			if err := m.incoming.add(c.Restoration, c.Number, c.Rows); err != nil && !durable.Blocked(err) {
				return err
			}
		}
		m.publish(logs, a.results, a.fresh, a.last)
		return nil
	}
}

// applying is one try at applying some entries.
type applying struct {
	logs     []*raft.Log
	answers  []any
	breaches map[breachAt]*breach // of tries before

	last    uint64 // index of the last entry
	grown   int64  // bytes of commands
	steps   []step
	results []command.Result // of commands that are new
	fresh   []int            // their places in logs
	parts   []command.StageState
	met     []breached // what can never be
}

func (m *machine) tryCommands(a *applying) error {
	a.last = m.last.Load()
	return m.state.Update(func(change *layered.Change) error {
		b := newApplier(change, m.codec, &m.kept, a.breaches, m.wrong)
		for i, log := range a.logs {
			if log.Index <= a.last {
				a.answers[i] = command.Result{Index: log.Index}
				continue
			}
			a.last = log.Index
			if log.Type == raft.LogConfiguration {
				b.Configure(log.Index, log.Term, log.Data)
				a.steps = append(a.steps, step{log.Index, b.Fingerprint()})
				continue
			}
			result, setRight, err := b.Apply(i, log.Index, log.Term, log.Data)
			if err != nil {
				return err
			}
			if len(setRight) > 0 {
				if err := m.sound(); err != nil {
					return err
				}
			}
			for _, what := range setRight {
				a.met = append(a.met, breached{log.Index, what})
			}
			a.steps = append(a.steps, step{log.Index, b.Fingerprint()})
			a.grown += int64(len(log.Data))
			a.answers[i] = result
			a.results, a.fresh = append(a.results, result), append(a.fresh, i)
		}
		a.parts = b.Parts
		if a.last == m.last.Load() {
			return nil
		}
		return b.End()
	})
}

// breached is what a command met that can never be.
type breached struct {
	index uint64
	what  error
}

// reportBreaches raises the alarm.
func (m *machine) reportBreaches(found []breached) {
	for _, b := range found {
		m.breaches.add(b.index, b.what)
		if m.alarm != nil {
			m.alarm(b.index, b.what)
		}
	}
}
