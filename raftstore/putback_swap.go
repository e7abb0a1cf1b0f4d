package raftstore

import (
	"fmt"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"

	"overcrank/durable"
	"overcrank/interval"
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// replaces says whether an entry may replace the state. It is applied by itself, between those before it and those behind it.
func (m *machine) replaces(log *raft.Log) bool {
	return log.Type == raft.LogCommand && m.codec.Holds(log.Data, command.ReplaceState{})
}

// applyReplacement applies an entry that may replace the state. done is false when it does not, and is to be applied as any other.
func (m *machine) applyReplacement(log *raft.Log) (answer command.Result, done bool, err error) {
	if log.Index <= m.last.Load() {
		return answer, false, nil
	}
	_, cmd, err := m.codec.Decode(log.Data)
	if err != nil {
		return answer, false, fmt.Errorf("apply log entry %d: %w", log.Index, err)
	}
	c, is := cmd.(command.ReplaceState)
	if !is {
		return answer, false, nil
	}
	refused := false
	if err := m.view(func(tx *tables.Tx) error {
		refused = tx.RefusesReplacement(c)
		return nil
	}); err != nil || refused {
		return answer, false, err
	}
	for {
		err := m.replace(log, c)
		if err == nil {
			break
		}
		// The parts stay in the state in force, so a disk that is full is waited for, as everywhere.
		if !durable.Blocked(err) || interval.Wait(m.ended, diskRetry) != nil {
			return answer, true, fmt.Errorf("apply log entry %d: put the state back: %w", log.Index, err)
		}
	}
	return command.Result{Index: log.Index, Replaced: true}, true, nil
}

// replace finishes the state that was brought and puts it in the place of the one in force.
func (m *machine) replace(log *raft.Log, c command.ReplaceState) error {
	var fingerprint []byte
	err := m.view(func(living *tables.Tx) error {
		if err := m.incoming.complete(living, c); err != nil {
			return err
		}
		return m.incoming.db.Update(func(tx *bbolt.Tx) (err error) {
			fingerprint, err = tables.PutInPlace(tx, living, log.Index, log.Term, log.Data, c.At)
			return err
		})
	})
	if err != nil {
		return err
	}
	return m.putBefore(m.incoming.release(), step{log.Index, string(fingerprint)})
}

// putBefore puts a state file that is made and open in the place of the one in force. The index of the state comes into force when
// those who asked for the change have been told of it.
func (m *machine) putBefore(db *bbolt.DB, at step) error {
	path := db.Path()
	if !replacesOpen() { // nor renamed
		if err := db.Close(); err != nil {
			return err
		}
		db = nil
	}
	if err := m.swap(path, db); err != nil {
		return err
	}
	m.trail.add([]step{at})
	m.requestWalk() // its rows have not been counted yet
	return nil
}
