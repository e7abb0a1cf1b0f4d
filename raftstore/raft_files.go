package raftstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashicorp/raft"

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

// bringOver copies the log out of the file of stable values, where earlier versions had it. moved says that the file holds
// entries which lie in the folder of the log now.
func bringOver(old *boltlog.Store, folder string) (moved bool, err error) {
	var newest raft.Log
	if err := old.Last(&newest); errors.Is(err, raft.ErrLogNotFound) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("%s is damaged: %w; "+boltfile.WayOut, stableFile, err)
	}
	if _, err := os.Stat(folder); err == nil {
		return true, broughtOver(folder, newest)
	}
	next := folder + ".new"
	if err := os.RemoveAll(next); err != nil {
		return false, fmt.Errorf("remove a log that was not finished: %w", err)
	}
	log, err := seglog.Open(seglog.Config{Folder: next})
	if err != nil {
		return false, err
	}
	if err := errors.Join(old.Entries(log.StoreLogs), log.Close()); err != nil {
		return false, fmt.Errorf("bring the log over to %s: %w", folder, err)
	}
	if err := errors.Join(os.Rename(next, folder), durable.SyncFolder(filepath.Dir(folder))); err != nil {
		return false, fmt.Errorf("bring the log over: %w", err)
	}
	return true, nil
}

// broughtOver refuses a folder that an earlier version was started on again after its log had been brought over.
func broughtOver(folder string, newest raft.Log) (err error) {
	log, err := seglog.Open(seglog.Config{Folder: folder})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var same raft.Log
	if err := log.GetLog(newest.Index, &same); err != nil && !errors.Is(err, raft.ErrLogNotFound) {
		return err
	}
	if same.Term != newest.Term {
		return fmt.Errorf("there are two logs, in %s and in %s: an earlier version of the program was started on this folder; "+boltfile.WayOut, folder, stableFile)
	}
	return nil
}

// Close closes the log and the stable values.
func (j *journal) Close() error { return errors.Join(j.Log.Close(), j.Store.Close()) }
