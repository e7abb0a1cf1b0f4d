package raftstore

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/hashicorp/raft"

	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// Remains is what the folder of a node that does not run holds.
type Remains struct {
	ID      string   `json:"id"`
	Last    uint64   `json:"last"` // index of the newest entry of the log, whether or not it was committed
	Term    uint64   `json:"term"` // of that entry
	Members []Member `json:"members"`
}

// Look reads what a node's folder holds. The node must not run.
func Look(dir string) (found Remains, err error) {
	err = opened(dir, func(id string, settings *raft.Config, log *journal, snapshots raft.SnapshotStore) error {
		found.ID = id
		if found.Last, found.Term, err = newestEntry(log, snapshots); err != nil {
			return err
		}
		_, nowhere := raft.NewInmemTransport("")
		defer func() { _ = nowhere.Close() }() // it is of memory
		settings.NoSnapshotRestoreOnStart = true
		members, err := raft.GetConfiguration(settings, noState{}, log, log, snapshots, nowhere)
		if err != nil {
			return fmt.Errorf("read the members of the farm: %w", err)
		}
		found.Members = membersOf(members)
		return nil
	})
	return found, err
}

// Recover makes the node of a folder the only member of its farm, with everything in its log, committed or not. It is for a farm that has lost
// so many voters for good that the rest are no majority; changes that only the lost nodes had are lost with them. The node must not run, and the
// former members must never reach it again.
func Recover(dir string) error {
	return opened(dir, func(id string, settings *raft.Config, log *journal, snapshots raft.SnapshotStore) (err error) {
		codec, err := command.NewCodec(tables.Definitions())
		if err != nil {
			return err
		}
		defer codec.Close()
		path := filepath.Join(dir, "recover.db")
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		var fatal error
		m, err := openMachine(path, codec, func(err error) { fatal = err }, defaultPortion)
		if err != nil {
			return err
		}
		_, nowhere := raft.NewInmemTransport("")
		defer func() { _ = nowhere.Close() }() // it is of memory
		// Where the node is it will say by itself once it leads.
		alone := raft.Configuration{Servers: []raft.Server{{ID: raft.ServerID(id), Address: raft.ServerAddress(id)}}}
		state := &recovering{machine: m}
		err = raft.RecoverCluster(settings, state, log, log, snapshots, nowhere, alone)
		state.release()
		return errors.Join(err, fatal, m.close(), os.RemoveAll(path))
	})
}

// recovering ends the snapshots that it gives: RecoverCluster leaves its own open, and a state is not closed while it is read.
type recovering struct {
	*machine
	taken []raft.FSMSnapshot
}

func (r *recovering) Snapshot() (raft.FSMSnapshot, error) {
	s, err := r.machine.Snapshot()
	if err == nil {
		r.taken = append(r.taken, s)
	}
	return s, err
}

func (r *recovering) release() {
	for _, s := range r.taken {
		s.Release()
	}
}

// opened runs fn on the parts of a node's folder, which have to be there.
func opened(dir string, fn func(id string, settings *raft.Config, log *journal, snapshots raft.SnapshotStore) error) (err error) {
	if _, err := os.Stat(filepath.Join(dir, stableFile)); err != nil {
		return fmt.Errorf("%s holds no farm's state: %w", dir, err)
	}
	id, err := NodeID(dir)
	if err != nil {
		return err
	}
	log, err := openJournal(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	logger := newRaftLogger(slog.New(slog.DiscardHandler))
	snapshots, err := raft.NewFileSnapshotStoreWithLogger(dir, keptSnapshots, logger)
	if err != nil {
		return fmt.Errorf("open snapshots: %w", err)
	}
	settings := raft.DefaultConfig()
	settings.LocalID, settings.Logger = raft.ServerID(id), logger
	return fn(id, settings, log, snapshots)
}

// newestEntry is the end of a node's log, or of its newest snapshot where that goes farther.
func newestEntry(log *journal, snapshots raft.SnapshotStore) (index, term uint64, err error) {
	list, err := snapshots.List()
	if err != nil {
		return 0, 0, fmt.Errorf("list snapshots: %w", err)
	}
	if len(list) > 0 {
		index, term = list[0].Index, list[0].Term
	}
	last, err := log.LastIndex()
	if err != nil || last <= index {
		return index, term, err
	}
	var entry raft.Log
	if err := log.GetLog(last, &entry); err != nil {
		return 0, 0, fmt.Errorf("read the end of the log: %w", err)
	}
	return entry.Index, entry.Term, nil
}

// noState is for looking at a log without applying it.
type noState struct{}

var errNoState = errors.New("nothing is applied while a folder is looked at")

func (noState) Apply(*raft.Log) any                 { return errNoState }
func (noState) Snapshot() (raft.FSMSnapshot, error) { return nil, errNoState }
func (noState) Restore(io.ReadCloser) error         { return errNoState }
