package raftstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"

	"overcrank/durable"
	"overcrank/raftstore/boltfile"
	"overcrank/raftstore/tables"
)

// Backup reads the farm's state as a node had it at one moment. Restore and Store.Receive read what it writes. The caller closes it.
type Backup struct {
	io.ReadCloser
	Index uint64 // of the last change in it
	Size  int64  // bytes
}

const (
	// Raft writes no snapshot between a change of its members and its being applied, which takes a moment.
	memberPause = 50 * time.Millisecond
	memberTries = 40
)

// Backup gives the state with everything that this node has applied. It is a snapshot on the disk, so a slow reader does not delay the farm.
func (s *Store) Backup(ctx context.Context) (*Backup, error) {
	applied := s.machine.last.Load()
	err := s.Snapshot()
	for try := 1; err != nil && try < memberTries; try++ {
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(memberPause):
			err = s.Snapshot()
		}
	}
	if err != nil {
		return nil, err
	}
	list, err := s.snapshots.List()
	if err == nil && len(list) == 0 {
		err = errors.New("there is no snapshot yet")
	}
	if err != nil {
		return nil, fmt.Errorf("find the snapshot for a backup: %w", err)
	}
	meta, content, err := s.snapshots.Open(list[0].ID)
	if err != nil {
		return nil, fmt.Errorf("open the snapshot for a backup: %w", err)
	}
	if meta.Index < applied {
		return nil, errors.Join(fmt.Errorf("the newest snapshot ends at change %d and this node has %d", meta.Index, applied), content.Close())
	}
	return &Backup{ReadCloser: content, Index: meta.Index, Size: meta.Size}, nil
}

// Restore makes a new farm of one node from a backup, in a folder that is missing or empty. No node of the farm that was backed up is a member. When
// Restore returns nil everything is on the disk; after an error the folder cannot be used.
func Restore(dir string, backup io.Reader) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make the farm's state in %s: %w", dir, err)
		}
	}()
	if err := os.MkdirAll(filepath.Join(dir, "snapshots"), 0o700); err != nil {
		return err
	}
	id, err := NodeID(dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, stateFile)
	if _, err := receiveSnapshot(backup, path); err != nil {
		return err
	}
	db, err := openState(path)
	if err != nil {
		return err
	}
	err = foundOn(dir, id, db)
	if err = errors.Join(err, boltfile.Close(db)); err != nil {
		return err
	}
	if err := (stopMark{folder: dir}).clean(); err != nil {
		return err
	}
	return errors.Join(durable.SyncFolder(filepath.Join(dir, "snapshots")), durable.SyncFolder(dir))
}

// foundOn makes the node with an id the only one of the farm whose state is in db, and writes the first snapshot of it.
func foundOn(dir, id string, db *bbolt.DB) error {
	// The port of a node may be another one with each start, so the address of a node alone means nothing but that there is one.
	alone := raft.Configuration{Servers: []raft.Server{{ID: raft.ServerID(id), Address: raft.ServerAddress(id)}}}
	var index, term uint64
	err := db.Update(func(tx *bbolt.Tx) (err error) {
		index, term, err = tables.FoundFarm(tx, raft.EncodeConfiguration(alone))
		return err
	})
	if err != nil {
		return err
	}
	if err := writeFirstSnapshot(dir, db, alone, index, term); err != nil {
		return fmt.Errorf("write the first snapshot: %w", err)
	}
	log, err := openJournal(dir)
	if err != nil {
		return err
	}
	// Terms only grow: a later one must never look earlier than that of the snapshot, or a node that has only the snapshot
	// would win an election against one that has more.
	return errors.Join(log.SetUint64([]byte(raftTerm), term), log.Close())
}

func writeFirstSnapshot(dir string, db *bbolt.DB, members raft.Configuration, index, term uint64) error {
	store, err := raft.NewFileSnapshotStoreWithLogger(dir, keptSnapshots, newRaftLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	_, nowhere := raft.NewInmemTransport("")
	defer func() { _ = nowhere.Close() }() // it is of memory
	sink, err := store.Create(raft.SnapshotVersionMax, index, term, members, index, nowhere)
	if err != nil {
		return err
	}
	tx, err := db.Begin(false)
	if err != nil {
		return errors.Join(err, sink.Cancel())
	}
	s := snapshot{tx: tx}
	defer s.Release()
	if err := s.write(sink); err != nil {
		return errors.Join(err, sink.Cancel())
	}
	return sink.Close()
}
