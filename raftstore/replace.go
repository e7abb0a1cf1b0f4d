package raftstore

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"

	"overcrank/durable"
	"overcrank/interval"
	"overcrank/raftstore/layered"
)

// keptBuckets are those that a backup does not bring back: they are about the coordinators that run, about how machines have done of
// late, and about invitations and codes, which must not be good a second time.
func keptBuckets() [][]byte {
	return [][]byte{
		bucketCoordinators, bucketNodeInvitations, bucketGossip, bucketUsedCodes, bucketHealth, bucketJoinTokens, bucketJoinTokensByHash,
	}
}

// keptMeta are the rows of bucketMeta that a backup does not bring back.
func keptMeta() []string {
	return []string{metaFormat, metaLevel, metaConfiguration}
}

// brought says whether a row of a backup is brought back.
func brought(bucket, key []byte) bool {
	if bytes.Equal(bucket, bucketMeta) {
		return string(key) == metaFirstTeam
	}
	if bytes.Equal(bucket, bucketIncoming) {
		return false
	}
	for _, kept := range keptBuckets() {
		if bytes.Equal(bucket, kept) {
			return false
		}
	}
	return true
}

// replaces says whether an entry may replace the state. It is applied by itself, between those before it and those behind it.
func replaces(log *raft.Log) bool {
	return log.Type == raft.LogCommand && len(log.Data) > 0 && Kind(log.Data[0]) == KindReplaceState
}

// applyReplacement applies an entry that may replace the state. done is false when it does not, and is to be applied as any other.
func (m *machine) applyReplacement(log *raft.Log) (answer Result, done bool, err error) {
	if log.Index <= m.last.Load() {
		return answer, false, nil
	}
	_, entry, err := cutKey(log.Data)
	if err != nil {
		return answer, false, fmt.Errorf("apply log entry %d: %w", log.Index, err)
	}
	cmd, err := m.codec.decode(entry)
	if err != nil {
		return answer, false, fmt.Errorf("apply log entry %d: %w", log.Index, err)
	}
	c, is := cmd.(ReplaceState)
	if !is {
		return answer, false, nil
	}
	refused := false
	if err := m.view(func(t *tables) error {
		refused = t.replaceState(c).Refused != nil
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
	return Result{Index: log.Index, Replaced: true}, true, nil
}

// replace finishes the state that was brought and puts it in the place of the one in force.
func (m *machine) replace(log *raft.Log, c ReplaceState) error {
	var fingerprint []byte
	err := m.view(func(t *tables) error {
		if err := m.incoming.complete(t, c); err != nil {
			return err
		}
		return m.incoming.db.Update(func(tx *bbolt.Tx) (err error) {
			fingerprint, err = keepLiving(tx, t, log, c.At)
			return err
		})
	})
	if err != nil {
		return err
	}
	return m.putBefore(m.incoming.release(), step{log.Index, string(fingerprint)})
}

// keepLiving writes into a state that was brought what is kept of the one in force, and how far the log has been followed. It gives
// the fingerprint of the new state: it goes on from that of the one in force.
func keepLiving(tx *bbolt.Tx, living *tables, log *raft.Log, at time.Time) (fingerprint []byte, err error) {
	change := changing(layered.Into(tx, buckets(), fill), &decoded{})
	change.print = newRowPrint()
	for _, bucket := range keptBuckets() {
		copyRows(change, living, bucket)
	}
	keepMachines(change, living)
	for _, key := range keptMeta() {
		if value := living.value(bucketMeta, key); value != nil {
			change.set(bucketMeta, key, bytes.Clone(value))
		}
	}
	index := binary.BigEndian.AppendUint64(nil, log.Index)
	change.set(bucketMeta, metaApplied, index)
	change.set(bucketMeta, metaTerm, binary.BigEndian.AppendUint64(nil, log.Term))
	// No task can have been leased more often than the log has entries.
	change.set(bucketMeta, metaAttempts, index)
	change.set(bucketMeta, metaReplaced, []byte(timeKey(at)))
	fingerprint = change.after(living.value(bucketMeta, metaFingerprint), log.Data)
	change.set(bucketMeta, metaFingerprint, fingerprint)
	if change.breach != nil {
		return nil, change.breach
	}
	return fingerprint, cmp.Or(living.err, change.err)
}

// keepMachines leaves the machines that the farm has as they are: they show the certificates that they were given last, whatever the
// backup knows of them. Those that were removed since come back, but for one that has enrolled again since under its old key: it would be
// there twice, and whoever removes the one shuts out the other.
func keepMachines(change, living *tables) {
	for _, index := range [][]byte{bucketAgentsByHash, bucketAgentsByKey} {
		for _, key := range change.keysUnder(index, "") {
			id := change.lookup(index, key)
			switch {
			case living.has(bucketAgents, id):
				change.remove(index, key)
			case living.has(index, key):
				change.forgetAgent(id)
			}
		}
	}
	for _, bucket := range [][]byte{bucketAgents, bucketAgentsByHash, bucketAgentsByKey} {
		copyRows(change, living, bucket)
	}
}

// copyRows writes all rows of a bucket of one state into another.
func copyRows(into, from *tables, bucket []byte) {
	cursor := from.cursor(bucket)
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		into.set(bucket, string(key), bytes.Clone(value))
	}
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
	m.suspect() // its rows have not been counted yet
	return nil
}
