package tables

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"time"

	"go.etcd.io/bbolt"

	"overcrank/raftstore/layered"
)

// keptBuckets stay as they are when the state is replaced by a backup's: they describe the coordinators that run, how machines have done of late,
// which backups there are, and invitations, codes and sessions, which must not become valid a second time.
func keptBuckets() [][]byte {
	return [][]byte{
		bucketCoordinators, bucketNodeInvitations, bucketGossip, bucketUsedCodes, bucketSessions, bucketHealth, bucketMachineUpdates, bucketJoinTokens, bucketJoinTokensByHash, bucketBackups,
	}
}

// keptMeta are the rows of bucketMeta that stay.
func keptMeta() []string {
	return []string{metaFormat, metaLevel, metaConfiguration}
}

// ComesBack says whether a row of a backup becomes part of the state.
func ComesBack(bucket, key []byte) bool {
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

// PutInPlace completes the state of a backup, whose rows are in tx, so that it can replace the living one at an entry of the log: it adds what stays
// of the living state, and that the log has been followed up to the entry. at is when the entry was made. The fingerprint goes on from that of the
// living state.
func PutInPlace(tx *bbolt.Tx, before *Tx, index, term uint64, entry []byte, at time.Time) (fingerprint []byte, err error) {
	living := before.t
	change := changing(layered.Into(tx, buckets(), Fill))
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
	number := binary.BigEndian.AppendUint64(nil, index)
	change.set(bucketMeta, metaApplied, number)
	change.set(bucketMeta, metaTerm, binary.BigEndian.AppendUint64(nil, term))
	// No task can have been leased more often than the log has entries.
	change.set(bucketMeta, metaAttempts, number)
	change.set(bucketMeta, metaReplaced, []byte(timeKey(at)))
	fingerprint = change.after(living.value(bucketMeta, metaFingerprint), entry)
	change.set(bucketMeta, metaFingerprint, fingerprint)
	if change.breach != nil {
		return nil, change.breach
	}
	return fingerprint, cmp.Or(living.err, change.err)
}

// keepMachines keeps the farm's machines as they are, since they show the certificates that they were given last, whatever the backup knows of them.
// Machines that were removed since the backup come back, except one that has enrolled again under its old key: it would be there twice, and removing
// one would shut out the other.
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

// FoundFarm makes a backup's state, which is in tx, that of a new farm with the given members, as Raft encodes them. index and term are those
// of the last entry that the state has.
func FoundFarm(tx *bbolt.Tx, members []byte) (index, term uint64, err error) {
	meta := tx.Bucket(bucketMeta)
	index = lastApplied(layered.Of(tx, buckets()))
	if value := meta.Get([]byte(metaTerm)); len(value) == 8 {
		term = binary.BigEndian.Uint64(value)
	}
	if index == 0 || term == 0 {
		return 0, 0, errors.New("the backup holds a state in which nothing was ever done")
	}
	if err := layered.DropSums(tx); err != nil {
		return 0, 0, err
	}
	// None of the nodes that the farm had is a member.
	if err := tx.DeleteBucket(bucketCoordinators); err != nil {
		return 0, 0, err
	}
	if _, err := tx.CreateBucket(bucketCoordinators); err != nil {
		return 0, 0, err
	}
	// Machines may still hold leases that were granted behind the backup, whose numbers are not given out again.
	if err := meta.Put([]byte(metaAttempts), binary.BigEndian.AppendUint64(nil, index)); err != nil {
		return 0, 0, err
	}
	return index, term, meta.Put([]byte(metaConfiguration), members)
}
