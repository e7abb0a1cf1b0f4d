package tables

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
)

// Entry is one entry of the log.
type Entry struct {
	Index, Term uint64
	Data        []byte
	Members     bool // Data says who the members of the farm's Raft are, as Raft encodes them; otherwise it is a command
}

// Applied is what one entry came to.
type Applied struct {
	Result      command.Result
	New         bool                // the state did not have the entry yet
	Fingerprint string              // of the state behind the entry, as raw bytes; of a new one
	Staged      *command.StageState // the part of a backup that the entry has laid down, nil for none
	Breaches    []error             // what its rule met that can never be: each was refused, or set right
}

// Applier applies entries of the log to the state.
type Applier struct {
	Codec *command.Codec
	// Sound is asked when a rule has met what can never be: every node meets it alike, unless this node's file is damaged. Its error
	// ends the change.
	Sound func() error
	// Wrong is given each row that a rule writes and gives the value to write instead. nil outside of tests.
	Wrong func(bucket, key string, value []byte) []byte
}

// Apply applies entries in their order, as one change. Those that the state has already are passed over. A command, or a part of one,
// that would break the state is refused: then all entries are applied anew without it.
func (a *Applier) Apply(state *layered.Store, entries []Entry) ([]Applied, error) {
	known := map[breachAt]*breach{}
	for found := []*breach{}; ; {
		applied, err := a.try(state, entries, known)
		breach, is := errors.AsType[*breach](err)
		if !is || known[breach.at] != nil {
			for _, b := range found {
				applied[b.at.entry].Breaches = append(applied[b.at.entry].Breaches, b)
			}
			return applied, err
		}
		if err := a.Sound(); err != nil {
			return nil, err
		}
		known[breach.at] = breach
		found = append(found, breach)
	}
}

// try applies entries as one change. The error is a *breach when the command of one has to be refused: then nothing has changed, and the
// next try is told of it.
func (a *Applier) try(state *layered.Store, entries []Entry, known map[breachAt]*breach) ([]Applied, error) {
	applied := make([]Applied, len(entries))
	err := state.Update(func(change *layered.Change) error {
		t := changing(change)
		t.breaches, t.print, t.wrong = known, newRowPrint(), a.Wrong
		b := batch{t: t, codec: a.Codec, index: lastApplied(t.rows), fingerprint: bytes.Clone(t.value(bucketMeta, metaFingerprint))}
		before := b.index
		for i, entry := range entries {
			if entry.Index <= b.index {
				applied[i].Result.Index = entry.Index
				continue
			}
			var err error
			if applied[i], err = b.apply(i, entry); err != nil {
				return err
			}
			if len(applied[i].Breaches) > 0 {
				if err := a.Sound(); err != nil {
					return err
				}
			}
		}
		if b.index == before {
			return nil
		}
		return b.end()
	})
	return applied, err
}

// batch is entries that are applied as one change.
type batch struct {
	t           *tables
	codec       *command.Codec
	fingerprint []byte
	index, term uint64 // of the last entry
}

// apply applies the nth entry of those that are applied together.
func (b *batch) apply(nth int, entry Entry) (Applied, error) {
	b.index, b.term = entry.Index, entry.Term
	if entry.Members {
		b.t.set(bucketMeta, metaConfiguration, entry.Data)
		return Applied{New: true, Fingerprint: string(b.fingerprint)}, nil
	}
	b.t.at, b.t.entry = breachAt{nth, wholeCommand}, entry.Index
	b.t.print.begin()
	by, cmd, err := b.codec.Decode(entry.Data)
	if err != nil {
		return Applied{}, fmt.Errorf("apply log entry %d: %w", b.index, b.t.explainUnknown(err))
	}
	applied := Applied{New: true}
	if known := b.t.breaches[b.t.at]; known != nil {
		applied.Result = refuse(known.refusal())
	} else {
		applied.Result = b.t.applyAs(by, cmd)
	}
	result := &applied.Result
	result.Changed, result.Notices, result.Index = b.t.noted(), b.t.noticesMade(), b.index
	result.Budgets = b.t.budgetsMoved()
	switch {
	case b.t.err != nil:
		return Applied{}, fmt.Errorf("apply log entry %d: %w", b.index, b.t.err)
	case b.t.breach != nil:
		return Applied{}, b.t.breach
	}
	applied.Breaches, b.t.corrected = b.t.corrected, nil
	if result.Refused == nil && result.Repeated == nil {
		applied.Staged = stagedBy(cmd)
	}
	b.fingerprint = b.t.after(b.fingerprint, entry.Data)
	applied.Fingerprint = string(b.fingerprint)
	*result = result.Sealed()
	return applied, nil
}

// stagedBy is the part of a backup that a command lays down, nil for another command.
func stagedBy(cmd command.Command) *command.StageState {
	part, is := cmd.(command.StageState)
	if !is {
		return nil
	}
	return &part
}

// end writes what is written once for the whole batch: the sums, the counters, and how far the log has been followed.
func (b *batch) end() error {
	t := b.t
	t.print = nil
	t.flushSums()
	t.flushCounts()
	t.set(bucketMeta, metaApplied, binary.BigEndian.AppendUint64(nil, b.index))
	t.set(bucketMeta, metaTerm, binary.BigEndian.AppendUint64(nil, b.term))
	t.set(bucketMeta, metaFingerprint, b.fingerprint)
	if t.breach != nil {
		return t.breach
	}
	return t.err
}
