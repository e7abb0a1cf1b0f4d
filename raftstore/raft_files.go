package raftstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"overcrank/durable"
	"overcrank/raftstore/boltfile"
	"overcrank/raftstore/boltlog"
	"overcrank/raftstore/seglog"
)

// journal is what Raft keeps on the disk beside snapshots: the log, and a few stable values.
type journal struct {
	*seglog.Log
	*boltlog.Store
}

// openJournal opens what Raft keeps in a node's folder. A log that an earlier version wrote is brought over first.
func openJournal(dir string) (*journal, error) {
	stablePath, logPath := filepath.Join(dir, stableFile), filepath.Join(dir, logFolder)
	stable, err := boltlog.Open(stablePath) // which no other process has open then
	if err != nil {
		return nil, err
	}
	moved, err := bringOver(stable, logPath)
	if err == nil && moved {
		if err = errors.Join(stable.Close(), boltlog.WithoutEntries(stablePath), durable.SyncFolder(dir)); err == nil {
			stable, err = boltlog.Open(stablePath)
		}
		if err != nil {
			return nil, err
		}
	}
	var log *seglog.Log
	if err == nil {
		log, err = seglog.Open(seglog.Config{Folder: logPath})
	}
	if err != nil {
		return nil, errors.Join(err, stable.Close())
	}
	j := &journal{log, stable}
	if err := j.check(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// check refuses a log whose stable values are gone: this node could vote twice in one election.
func (j *journal) check() error {
	last, err := j.LastIndex()
	if err != nil || last == 0 {
		return err
	}
	var newest raft.Log
	if err := j.GetLog(last, &newest); err != nil {
		return err
	}
	term, err := j.GetUint64([]byte(raftTerm))
	if err != nil && !errors.Is(err, boltlog.ErrNotFound) {
		return err
	}
	if term < newest.Term {
		return fmt.Errorf("the log has entries of term %d while the file beside it knows of term %d only: %s was replaced or removed; put back the one that belongs here",
			newest.Term, term, stableFile)
	}
	return nil
}

// raftTerm is the name under which Raft keeps its term.
const raftTerm = "CurrentTerm"

// Close closes the log and the stable values.
func (j *journal) Close() error { return errors.Join(j.Log.Close(), j.Store.Close()) }

// HasState tells whether a node's state lies in dir.
func HasState(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, stableFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// InUse is an error when a node runs on the state in dir.
func InUse(dir string) error {
	path := filepath.Join(dir, stableFile)
	err := boltfile.View(path, time.Second, func(*bbolt.Tx) error { return nil })
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return fmt.Errorf("another process has %s open: stop the farm first", path)
	}
	return nil
}
