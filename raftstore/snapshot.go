package raftstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"

	"overcrank/durable"
	"overcrank/raftstore/boltfile"
	"overcrank/raftstore/layered"
	"overcrank/raftstore/tables"
)

// A snapshot is: magic (8 bytes), index of the last entry in it (8), size of the state file (8), the state file, SHA-256
// over all before it (32). Numbers are big-endian. The last byte of the magic is the format of the state file.
const (
	snapshotMagic      = "OCSTATE\x02"
	snapshotMagic1     = "OCSTATE\x01"
	snapshotHeaderSize = len(snapshotMagic) + 8 + 8
)

// snapshot is the state at one moment: a read transaction that stays open until Release.
type snapshot struct {
	tx      *bbolt.Tx
	state   *layered.Store // that it is a reading of
	machine *machine
	grown   int64 // of the machine, when the snapshot was taken
	entries int64 // likewise
}

// Snapshot takes the state as it is; writing it out happens beside further commands.
func (m *machine) Snapshot() (raft.FSMSnapshot, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.halted.Load() {
		return nil, errHalted
	}
	if err := m.damage(); err != nil {
		return nil, err
	}
	if err := m.state.Flush(); err != nil {
		m.markIfDamaged(m.state, err)
		return nil, fmt.Errorf("begin snapshot: %w", err)
	}
	tx, err := m.state.Reading()
	if err != nil {
		m.markIfDamaged(m.state, err)
		return nil, fmt.Errorf("begin snapshot: %w", err)
	}
	return &snapshot{tx: tx, state: m.state, machine: m, grown: m.grown.Load(), entries: m.entries.Load()}, nil
}

// Persist writes the snapshot.
func (s *snapshot) Persist(sink raft.SnapshotSink) error {
	// The log is shortened by what a snapshot holds, so nothing goes into one that is not what was written.
	if err := s.state.VerifyReading(s.tx, s.machine.paceWalk(s.machine.ended)); err != nil {
		s.machine.markIfDamaged(s.state, err)
		return errors.Join(fmt.Errorf("look through the state for a snapshot: %w", err), sink.Cancel())
	}
	// Where Raft's store of snapshots has the file that it is writing.
	sync, done := syncing(filepath.Join(filepath.Dir(s.machine.path), "snapshots", sink.ID()+".tmp", "state.bin"))
	err := s.write(&gentle{w: sink, sync: sync, ctx: s.machine.ended})
	done()
	if err == nil {
		err = s.state.Damaged()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write snapshot: %w", err), sink.Cancel())
	}
	if err := sink.Close(); err != nil {
		return err
	}
	s.machine.grown.Add(-s.grown)
	s.machine.entries.Add(-s.entries)
	return nil
}

func (s *snapshot) write(w io.Writer) error {
	hash := sha256.New()
	w = io.MultiWriter(w, hash)
	header := []byte(snapshotMagic)
	header = binary.BigEndian.AppendUint64(header, tables.ReadFile(s.tx).Index())
	header = binary.BigEndian.AppendUint64(header, uint64(s.tx.Size()))
	if _, err := w.Write(header); err != nil {
		return err
	}
	if n, err := s.tx.WriteTo(w); err != nil {
		return err
	} else if n != s.tx.Size() {
		return fmt.Errorf("%d bytes were written where the state has %d", n, s.tx.Size())
	}
	_, err := w.Write(hash.Sum(nil))
	return err
}

// Release ends the read transaction.
func (s *snapshot) Release() { _ = s.tx.Rollback() }

// Restore replaces the state by a snapshot. The state in force serves readers until the new one is whole, verified and in today's
// format; what they wait for then is the moment in which one takes the other's place.
func (m *machine) Restore(snapshot io.ReadCloser) error {
	next := m.path + ".new"
	applied, err := receiveSnapshot(snapshot, next)
	if err == nil && applied+1 < m.logBegins {
		err = fmt.Errorf("it ends at change %d and the log begins with change %d: what lies between was in a newer snapshot, which cannot be read; %s",
			applied, m.logBegins, boltfile.WayOut)
	}
	if err == nil {
		err = prepareState(next)
	}
	if err != nil {
		m.restoreFailed = errors.Join(fmt.Errorf("restore snapshot: %w", err), os.RemoveAll(next))
		return m.restoreFailed
	}
	if err := m.swap(next, nil); err != nil {
		return fmt.Errorf("restore snapshot: %w", err)
	}
	m.follow()
	m.grown.Store(0)
	m.entries.Store(0)
	m.progress.tell()
	if m.replaced != nil {
		m.replaced()
	}
	return durable.SyncFolder(filepath.Dir(m.path))
}

// prepareState looks through a state file, brings it into today's format and notes which of its pages are free, so that opening it
// takes no time.
func prepareState(path string) error {
	db, err := openState(path)
	if err != nil {
		return err
	}
	return boltfile.Close(db)
}

// swap puts a prepared state file in the place of the one in force. It may be open already: opened is then not nil, and the machine's.
func (m *machine) swap(next string, opened *bbolt.DB) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.exchange(next, opened); err != nil {
		return err
	}
	m.broken.Store(nil) // what was wrong was wrong with the other file
	return nil
}

// exchange is swap for whoever holds mu.
func (m *machine) exchange(next string, opened *bbolt.DB) (err error) {
	defer func() {
		if err != nil && opened != nil {
			err = errors.Join(err, opened.Close())
		}
	}()
	db, state := m.db, m.state
	if err := m.checkpoint.drop(m.path); err != nil {
		return err
	}
	// The file in force closes when its last reader ends, which may be a snapshot that is being written. Nobody waits for that where
	// an open file can be replaced.
	if !replacesOpen() {
		if err := m.closeFile(db, state); err != nil {
			return fmt.Errorf("close the state in force: %w", err)
		}
	}
	if err := os.Rename(next, m.path); err != nil {
		return err
	}
	if opened == nil {
		if opened, err = bbolt.Open(m.path, 0o600, stateOptions()); err != nil {
			return err
		}
	}
	if replacesOpen() {
		m.leaving.Go(func() { _ = m.closeFile(db, state) })
	}
	m.use(opened)
	return nil
}

// replacesOpen says whether a file can be replaced that is open.
func replacesOpen() bool { return runtime.GOOS != "windows" }

// receiveSnapshot writes the state file out of a snapshot to path, synced, after checking every byte of it. It gives the index of the last
// entry in it.
func receiveSnapshot(snapshot io.Reader, path string) (applied uint64, err error) {
	hash := sha256.New()
	checked := io.TeeReader(snapshot, hash)
	applied, size, err := readSnapshotHeader(checked)
	if err != nil {
		return 0, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	if _, err := io.CopyN(file, checked, size); err != nil {
		return 0, errors.Join(fmt.Errorf("the snapshot ends early: %w", err), file.Close())
	}
	want := make([]byte, sha256.Size)
	if _, err := io.ReadFull(snapshot, want); err != nil {
		return 0, errors.Join(fmt.Errorf("the snapshot ends early: %w", err), file.Close())
	}
	if !bytes.Equal(hash.Sum(nil), want) {
		return 0, errors.Join(errors.New("the snapshot is damaged: its checksum does not match"), file.Close())
	}
	return applied, errors.Join(file.Sync(), file.Close())
}

// readSnapshotHeader gives the index of the last entry in the snapshot and the size of the state file.
func readSnapshotHeader(r io.Reader) (applied uint64, size int64, err error) {
	header := make([]byte, snapshotHeaderSize)
	if _, err := io.ReadFull(r, header); err != nil {
		return 0, 0, fmt.Errorf("the snapshot has no header: %w", err)
	}
	if magic := header[:len(snapshotMagic)]; string(magic) != snapshotMagic && string(magic) != snapshotMagic1 {
		return 0, 0, fmt.Errorf("the snapshot begins with %q, which this program does not know", magic)
	}
	applied = binary.BigEndian.Uint64(header[len(snapshotMagic):])
	size = int64(binary.BigEndian.Uint64(header[len(snapshotMagic)+8:]))
	if size <= 0 {
		return 0, 0, fmt.Errorf("the snapshot is damaged: it says that the state has %d bytes", size)
	}
	return applied, size, nil
}
