package raftstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/raft"

	"overcrank/durable"
	"overcrank/raftstore/boltfile"
)

// recoverMachine opens the state file, or begins a new one when the old may not be whole. kept says that the file is used
// as it is; otherwise Raft fills it from the newest snapshot and the log.
//
// The file is not synced with its changes. A killed process tears no page of it: what was written is in the system's
// cache. A machine that went down may have lost any part of it. So it is kept when the last stop was clean, or when the
// machine has not been restarted since; otherwise as it was at the last checkpoint (checkpoint.go).
func recoverMachine(cfg Config, codec *codec, mark stopMark, log *journal, snapshots raft.SnapshotStore) (m *machine, kept bool, err error) {
	whole, err := mark.whole()
	if err != nil {
		return nil, false, err
	}
	path := filepath.Join(cfg.Dir, stateFile)
	if !whole {
		whole = restoreCheckpoint(path, cfg.Logger)
	}
	if err := mark.running(); err != nil {
		return nil, false, fmt.Errorf("mark the state as in use: %w", err)
	}
	// What is written from here on may take the place of what the checkpoint needs.
	if err := dropCheckpoint(path); err != nil {
		return nil, false, err
	}
	snapshotIndex, err := newestSnapshot(snapshots)
	if err != nil {
		return nil, false, err
	}
	if err := checkBeginning(log, snapshotIndex); err != nil {
		return nil, false, err
	}
	if whole {
		m, err := keepMachine(path, cfg, codec, log, snapshotIndex)
		if m != nil || err != nil {
			return m, true, err
		}
	}
	if err := os.RemoveAll(path); err != nil {
		return nil, false, fmt.Errorf("remove the old state file: %w", err)
	}
	m, err = openMachine(path, codec, cfg.OnFatal, cfg.portion)
	return m, false, err
}

// keepMachine opens the state file as it is; nil when it has to be made again after all.
func keepMachine(path string, cfg Config, codec *codec, log *journal, snapshotIndex uint64) (*machine, error) {
	m, err := openMachine(path, codec, cfg.OnFatal, cfg.portion)
	if errors.Is(err, errNewer) {
		return nil, err
	}
	if err != nil {
		cfg.Logger.Warn("the state file cannot be opened and is made again from the log", "error", err)
		return nil, nil
	}
	if m.last.Load() < snapshotIndex {
		// The snapshot was received from another node just before the stop.
		return nil, m.close()
	}
	if err := checkLog(m, log, snapshotIndex); err != nil {
		return nil, errors.Join(err, m.close())
	}
	m.entries.Store(int64(m.last.Load() - snapshotIndex))
	m.grown.Store(m.entries.Load() * entryEstimate)
	return m, nil
}

// checkBeginning refuses a log whose beginning is gone: the newest snapshot does not reach to its first entry.
func checkBeginning(log *journal, snapshotIndex uint64) error {
	first, err := log.FirstIndex()
	if err != nil {
		return fmt.Errorf("read the beginning of the log: %w", err)
	}
	if first <= snapshotIndex+1 {
		return nil
	}
	before := "there is no snapshot"
	if snapshotIndex > 0 {
		before = fmt.Sprintf("the newest snapshot ends at change %d", snapshotIndex)
	}
	return fmt.Errorf("the log begins with change %d and %s: the oldest files of %s, or a newer snapshot, were removed or are damaged; put them back, or %s",
		first, before, logFolder, boltfile.WayOut)
}

// checkLog refuses a state that knows more than the log beside it: files of different nodes or days were mixed.
func checkLog(m *machine, log *journal, snapshotIndex uint64) error {
	last, err := log.LastIndex()
	if err != nil {
		return fmt.Errorf("read the end of the log: %w", err)
	}
	if applied := m.last.Load(); applied > max(last, snapshotIndex) {
		return fmt.Errorf("the state has change %d while the log beside it ends at %d: %s was replaced or removed; put back the one that belongs here",
			applied, last, logFolder)
	}
	return nil
}

// newestSnapshot is the index of the last entry in the newest snapshot, 0 without one.
func newestSnapshot(snapshots raft.SnapshotStore) (uint64, error) {
	list, err := snapshots.List()
	if err != nil {
		return 0, fmt.Errorf("list snapshots: %w", err)
	}
	if len(list) == 0 {
		return 0, nil
	}
	_, source, err := snapshots.Open(list[0].ID)
	if err != nil {
		return 0, fmt.Errorf("open snapshot %s: %w", list[0].ID, err)
	}
	defer source.Close()
	applied, _, err := readSnapshotHeader(source)
	if err != nil {
		return 0, fmt.Errorf("read snapshot %s: %w", list[0].ID, err)
	}
	return applied, nil
}

// stopMark is a small synced file that tells the next start how the last run ended.
type stopMark struct{ folder string }

const (
	markClean   = "clean"
	markRunning = "running since boot " // and the id of the boot
)

func (s stopMark) path() string { return filepath.Join(s.folder, "state.mark") }

// whole says whether the state file is surely as it was left.
func (s stopMark) whole() (bool, error) {
	mark, err := os.ReadFile(s.path())
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read how the last run ended: %w", err)
	}
	text := strings.TrimSpace(string(mark))
	if text == markClean {
		return true, nil
	}
	boot, running := strings.CutPrefix(text, markRunning)
	return running && boot != "" && boot == bootID(), nil
}

// running marks that the state file is in use.
func (s stopMark) running() error {
	return durable.WriteFile(s.path(), []byte(markRunning+bootID()+"\n"), 0o600)
}

// clean marks that the state file is on the disk and closed.
func (s stopMark) clean() error { return durable.WriteFile(s.path(), []byte(markClean+"\n"), 0o600) }
