package raftstore

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
)

// applier applies entries of the log that come together, as one change of the state.
type applier struct {
	// Parts are those of a restoration that entries of the batch have laid down.
	Parts []command.StageState

	t           *tables
	codec       *command.Codec
	fingerprint []byte
	index, term uint64 // of the last entry
}

// newApplier begins a batch within a change. What is known to break the state says breaches. wrong is given each row that a rule writes and
// gives the value to write instead; it is nil outside of tests.
func newApplier(change *layered.Change, codec *command.Codec, kept *decoded, breaches map[breachAt]*breach, wrong func(bucket, key string, value []byte) []byte) applier {
	t := changing(change, kept)
	t.breaches, t.print, t.wrong = breaches, newRowPrint(), wrong
	return applier{t: t, codec: codec, fingerprint: bytes.Clone(t.value(bucketMeta, metaFingerprint))}
}

// Fingerprint is that of the state behind the last entry, as raw bytes.
func (b *applier) Fingerprint() string { return string(b.fingerprint) }

// Configure keeps the members of the farm's Raft, as the entry of an index has them.
func (b *applier) Configure(index, term uint64, members []byte) {
	b.index, b.term = index, term
	b.t.set(bucketMeta, metaConfiguration, members)
}

// Apply carries out the command of the entry that is the nth of those that are applied together. setRight is what its rule met that can
// never be and set right. The error is a *breach when the command has to be refused: then the batch begins again, with that known.
func (b *applier) Apply(nth int, index, term uint64, data []byte) (result command.Result, setRight []error, err error) {
	b.index, b.term = index, term
	b.t.at = breachAt{nth, wholeCommand}
	b.t.print.begin()
	key, entry, err := command.CutKey(data)
	if err != nil {
		return command.Result{}, nil, fmt.Errorf("apply log entry %d: %w", index, err)
	}
	cmd, err := b.codec.Decode(entry)
	if err != nil {
		return command.Result{}, nil, fmt.Errorf("apply log entry %d: %w", index, b.t.explainUnknown(err))
	}
	if known := b.t.breaches[b.t.at]; known != nil {
		result = refuse(known.refusal())
	} else {
		result = b.t.applyFor(key, cmd)
	}
	result.Changed, result.Index = b.t.noted(), index
	switch {
	case b.t.err != nil:
		return command.Result{}, nil, fmt.Errorf("apply log entry %d: %w", index, b.t.err)
	case b.t.breach != nil:
		return command.Result{}, nil, b.t.breach
	}
	setRight, b.t.corrected = b.t.corrected, nil
	if part, is := cmd.(command.StageState); is && result.Refused == nil && result.Repeated == nil {
		b.Parts = append(b.Parts, part)
	}
	b.fingerprint = b.t.after(b.fingerprint, data)
	return result.Sealed(), setRight, nil
}

// End writes what is written once for the whole batch: the counters, and how far the log has been followed.
func (b *applier) End() error {
	t := b.t
	t.print = nil
	t.flushCounts()
	t.set(bucketMeta, metaApplied, binary.BigEndian.AppendUint64(nil, b.index))
	t.set(bucketMeta, metaTerm, binary.BigEndian.AppendUint64(nil, b.term))
	t.set(bucketMeta, metaFingerprint, b.fingerprint)
	if t.breach != nil {
		return t.breach
	}
	return t.err
}
