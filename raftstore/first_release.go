package raftstore

import (
	"errors"
	"fmt"
	"io"
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
	"overcrank/raftstore/tables"
)

// FirstRelease is the release whose state every later one takes over, and which cannot read it any more after that.
const FirstRelease = "v0.1.0"

// OfFirstRelease tells whether the state in dir was written by FirstRelease and has not been opened by a later one. It changes
// nothing.
func OfFirstRelease(dir string) (bool, error) {
	for name, wanted := range map[string]bool{stableFile: true, logFolder: false} {
		_, err := os.Stat(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if (err == nil) != wanted {
			return false, nil
		}
	}
	format, known := 0, false
	err := boltfile.View(filepath.Join(dir, stateFile), time.Second, func(tx *bbolt.Tx) error {
		format, known = tables.KnownFormat(tx)
		return nil
	})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return false, fmt.Errorf("another process has %s open; is the farm already running on this folder?", filepath.Join(dir, stateFile))
	}
	// A state file that is damaged or missing is made again from snapshot and log, so these say whose it is.
	if err == nil && known {
		return format == 1, nil
	}
	snapshots, err := durable.Find(dir, "snapshots/*/state.bin")
	if err != nil {
		return false, err
	}
	for _, path := range snapshots {
		later, err := beginsWith(path, snapshotMagic)
		if err != nil || later {
			return false, err
		}
	}
	return true, nil
}

func beginsWith(path, magic string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	begin := make([]byte, len(magic))
	if _, err := io.ReadFull(file, begin); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	return string(begin) == magic, nil
}

// earlierFiles are what a node's state is made again from.
func earlierFiles(dir string) (paths []string, size int64, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if filepath.Dir(name) == "." && name != stableFile && name != nodeIDFile {
			return nil
		}
		info, err := entry.Info()
		if err == nil {
			paths, size = append(paths, name), size+info.Size()
		}
		return err
	})
	return paths, size, err
}

// SetAside copies the log and the snapshots in dir to the folder to, which appears when all of it is there and on the disk. The
// state file is not copied: whoever starts on the copy makes it again. room is how many bytes must stay free on the disk.
func SetAside(dir, to string, room int64) error {
	paths, size, err := earlierFiles(dir)
	if err != nil {
		return fmt.Errorf("set the state in %s aside: %w", dir, err)
	}
	free, _, err := durable.Space(dir)
	if err != nil {
		return fmt.Errorf("set the state in %s aside: %w", dir, err)
	}
	if free-size < room {
		return fmt.Errorf("set the state in %s aside: %s are needed, and %s of %s free have to stay; make room, or make the empty folder %s to do without the way back",
			dir, megabytes(size), megabytes(room), megabytes(free), to)
	}
	half := to + ".new"
	if err := os.RemoveAll(half); err != nil {
		return fmt.Errorf("set the state in %s aside: %w", dir, err)
	}
	for _, name := range append(paths, "snapshots"+string(filepath.Separator)) {
		target := filepath.Join(half, name)
		if name[len(name)-1] == filepath.Separator {
			err = os.MkdirAll(target, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(target), 0o700); err == nil {
			err = copyFile(filepath.Join(dir, name), target)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("set the state in %s aside: %w", dir, err), os.RemoveAll(half))
		}
	}
	if err := os.Rename(half, to); err != nil {
		return fmt.Errorf("set the state in %s aside: %w", dir, err)
	}
	return durable.SyncFolder(filepath.Dir(to))
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	return durable.Write(to, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}

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
