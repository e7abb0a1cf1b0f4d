package raftstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hashicorp/raft"

	"overcrank/durable"
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
			a.amiss = append(a.amiss, breached{logs[at.entry].Index, b})
		}
		m.tellAmiss(a.amiss)
		for _, c := range a.parts {
			if err := m.incoming.add(c.Restoration, c.Number, c.Rows); err != nil && !durable.Blocked(err) {
				return err
			}
		}
		m.told(logs, a.results, a.fresh, a.last)
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
	results []Result // of commands that are new
	fresh   []int    // their places in logs
	parts   []BringState
	amiss   []breached
}

func (m *machine) tryCommands(a *applying) error {
	a.last = m.last.Load()
	return m.state.Update(func(change *layered.Change) error {
		t := changing(change, &m.kept)
		t.breaches, t.print, t.wrong = a.breaches, newRowPrint(), m.wrong
		fingerprint := bytes.Clone(t.value(bucketMeta, metaFingerprint))
		var term uint64
		for i, log := range a.logs {
			if log.Index <= a.last {
				a.answers[i] = Result{Index: log.Index}
				continue
			}
			a.last, term = log.Index, log.Term
			if log.Type == raft.LogConfiguration {
				t.set(bucketMeta, metaConfiguration, log.Data)
				a.steps = append(a.steps, step{log.Index, string(fingerprint)})
				continue
			}
			t.at = breachAt{i, wholeCommand}
			t.print.begin()
			result, err := m.applyEntry(t, log, a)
			if err != nil {
				return err
			}
			fingerprint = t.after(fingerprint, log.Data)
			a.steps = append(a.steps, step{log.Index, string(fingerprint)})
			a.grown += int64(len(log.Data))
			a.answers[i] = result
			a.results, a.fresh = append(a.results, result), append(a.fresh, i)
		}
		if a.last == m.last.Load() {
			return nil
		}
		t.print = nil
		t.flushCounts()
		t.set(bucketMeta, metaApplied, binary.BigEndian.AppendUint64(nil, a.last))
		t.set(bucketMeta, metaTerm, binary.BigEndian.AppendUint64(nil, term))
		t.set(bucketMeta, metaFingerprint, fingerprint)
		if t.breach != nil {
			return t.breach
		}
		return t.err
	})
}

// applyEntry applies the command of one entry. The error is a *breach when it has to be refused.
func (m *machine) applyEntry(t *tables, log *raft.Log, a *applying) (Result, error) {
	key, entry, err := cutKey(log.Data)
	if err != nil {
		return Result{}, fmt.Errorf("apply log entry %d: %w", log.Index, err)
	}
	cmd, err := m.codec.decode(entry)
	if err != nil {
		return Result{}, fmt.Errorf("apply log entry %d: %w", log.Index, t.explainUnknown(err))
	}
	var result Result
	if known := t.breaches[t.at]; known != nil {
		result = refuse(known.refusal())
	} else {
		result = t.applyFor(key, cmd)
	}
	result.Changed, result.Index, result.places = t.noted(), log.Index, places{}
	switch {
	case t.err != nil:
		return Result{}, fmt.Errorf("apply log entry %d: %w", log.Index, t.err)
	case t.breach != nil:
		return Result{}, t.breach
	}
	for _, what := range t.mended {
		a.amiss = append(a.amiss, breached{log.Index, what})
	}
	if len(t.mended) > 0 {
		if err := m.sound(); err != nil {
			return Result{}, err
		}
	}
	t.mended = nil
	if part, is := cmd.(BringState); is && result.Refused == nil && result.Repeated == nil {
		a.parts = append(a.parts, part)
	}
	return result, nil
}

// breached is what a command met that can never be.
type breached struct {
	index uint64
	what  error
}

// tellAmiss raises the alarm.
func (m *machine) tellAmiss(found []breached) {
	for _, b := range found {
		m.breaches.add(b.index, b.what)
		if m.alarm != nil {
			m.alarm(b.index, b.what)
		}
	}
}
