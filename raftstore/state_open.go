package raftstore

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/raft"

	"overcrank/durable"
	"overcrank/raftstore/boltfile"
	"overcrank/raftstore/command"
)

// recoverMachine opens the state file, or begins a new one when the old may not be whole. kept says that the file is used
// as it is; otherwise Raft fills it from the newest snapshot and the log. found is the damage for which it is made again, nil for none.
//
// The file is not synced with its changes. A killed process tears no page of it: what was written is in the system's
// cache. A machine that went down may have lost any part of it. So it is kept when the last stop was clean, or when the
// machine has not been restarted since; otherwise as it was at the last checkpoint (checkpoint.go).
func recoverMachine(cfg Config, codec *command.Codec, mark stopMark, log *journal, snapshots raft.SnapshotStore) (m *machine, kept bool, found error, err error) {
	path := filepath.Join(cfg.Dir, stateFile)
	whole, damaged, err := mark.left()
	switch {
	case err != nil:
		return nil, false, nil, err
	case damaged:
		found = errors.New("the run before found it damaged")
		// Before anything says that it is in use again.
		if err := os.RemoveAll(path); err != nil {
			return nil, false, nil, fmt.Errorf("remove the damaged state file: %w", err)
		}
	case !whole:
		whole = restoreCheckpoint(path, cfg.Logger)
	}
	if err := os.RemoveAll(rebuiltPath(path)); err != nil { // of a process that was killed
		return nil, false, nil, fmt.Errorf("remove a state file that was not finished: %w", err)
	}
	if err := mark.running(); err != nil {
		return nil, false, nil, fmt.Errorf("mark the state as in use: %w", err)
	}
	// What is written from here on may take the place of what the checkpoint needs.
	if err := dropCheckpoint(path); err != nil {
		return nil, false, nil, err
	}
	snapshotIndex, reach, err := newestSnapshot(snapshots, cfg.Logger)
	if err != nil {
		return nil, false, nil, err
	}
	first, err := checkBeginning(log, snapshotIndex)
	if err != nil {
		return nil, false, nil, err
	}
	if whole {
		m, err := keepMachine(path, cfg, codec, log, snapshotIndex, reach)
		if !errors.Is(err, boltfile.ErrDamaged) && (m != nil || err != nil) {
			return m, true, nil, err
		}
		found = err
	}
	if err := errors.Join(os.RemoveAll(path), boltfile.UnmarkFree(path)); err != nil {
		return nil, false, nil, fmt.Errorf("remove the old state file: %w", err)
	}
	if found != nil {
		cfg.Logger.Error("the state file of this node is damaged; it is made again from the newest snapshot and the log", "file", path, "error", found, "remedy", damageRemedy)
	}
	m, err = openMachine(path, codec, cfg.OnFatal, cfg.portion)
	if m != nil {
		m.logBegins = first
	}
	return m, false, found, err
}

// keepMachine opens the state file as it is; nil when it has to be made again after all. The error is ErrDamaged when it is not what was
// written.
func keepMachine(path string, cfg Config, codec *command.Codec, log *journal, snapshotIndex, reach uint64) (*machine, error) {
	m, err := openMachine(path, codec, cfg.OnFatal, cfg.portion)
	if errors.Is(err, command.ErrNewer) || errors.Is(err, boltfile.ErrDamaged) {
		return nil, err
	}
	if err != nil {
		cfg.Logger.Warn("the state file cannot be opened and is made again from the log", "error", err)
		return nil, nil
	}
	if m.last.Load() < reach {
		// The snapshot was received from another node just before the stop.
		return nil, m.close()
	}
	if err := checkLog(m, log, reach); err != nil {
		return nil, errors.Join(err, m.close())
	}
	if err := boltfile.UnmarkFree(path); err != nil {
		return nil, errors.Join(err, m.close())
	}
	m.entries.Store(int64(m.last.Load() - snapshotIndex))
	m.grown.Store(m.entries.Load() * entryEstimate)
	return m, nil
}

// checkBeginning refuses a log whose beginning is gone: the newest snapshot does not reach to its first entry, which it gives.
func checkBeginning(log *journal, snapshotIndex uint64) (first uint64, err error) {
	first, err = log.FirstIndex()
	if err != nil {
		return 0, fmt.Errorf("read the beginning of the log: %w", err)
	}
	if first <= snapshotIndex+1 {
		return first, nil
	}
	before := "there is no snapshot"
	if snapshotIndex > 0 {
		before = fmt.Sprintf("the newest snapshot ends at change %d", snapshotIndex)
	}
	return 0, fmt.Errorf("the log begins with change %d and %s: the oldest files of %s, or a newer snapshot, were removed or are damaged; put them back, or %s",
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

// newestSnapshot is the index of the last entry in the newest snapshot that can be read, 0 without any; it is an error when none of
// several can. Raft fills a state from that one too. But it takes a state that is kept for one that reaches, at least, to the end of the
// newest snapshot, whether or not that can be read: reach is where that is.
func newestSnapshot(snapshots raft.SnapshotStore, logger *slog.Logger) (index, reach uint64, err error) {
	list, err := snapshots.List()
	if err != nil {
		return 0, 0, fmt.Errorf("list snapshots: %w", err)
	}
	var damage error
	for _, found := range list {
		applied, err := endOfSnapshot(snapshots, found.ID)
		switch {
		case err == nil && damage == nil:
			return applied, applied, nil
		case err == nil:
			return applied, list[0].Index, nil
		}
		logger.Error("a snapshot of this node cannot be read; an older one is used", "snapshot", found.ID, "error", err, "remedy", damageRemedy)
		damage = errors.Join(damage, err)
	}
	if damage != nil {
		return 0, 0, fmt.Errorf("no snapshot of this node can be read: %w; %s", damage, boltfile.WayOut)
	}
	return 0, 0, nil
}

// endOfSnapshot is the index of the last entry in a snapshot.
func endOfSnapshot(snapshots raft.SnapshotStore, id string) (uint64, error) {
	_, source, err := snapshots.Open(id)
	if err != nil {
		return 0, fmt.Errorf("open snapshot %s: %w", id, err)
	}
	defer source.Close()
	applied, _, err := readSnapshotHeader(source)
	if err != nil {
		return 0, fmt.Errorf("read snapshot %s: %w", id, err)
	}
	return applied, nil
}

// stopMark is a small synced file that tells the next start how the last run ended.
type stopMark struct{ folder string }

const (
	markClean   = "clean"
	markRunning = "running since boot " // and the id of the boot
	markDamaged = "damaged"
)

func (s stopMark) path() string { return filepath.Join(s.folder, "state.mark") }

// left says how the last run left the state file: whole for certain, or damaged.
func (s stopMark) left() (whole, damaged bool, err error) {
	mark, err := os.ReadFile(s.path())
	if errors.Is(err, os.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("read how the last run ended: %w", err)
	}
	text := strings.TrimSpace(string(mark))
	if text == markClean || text == markDamaged {
		return text == markClean, text == markDamaged, nil
	}
	boot, running := strings.CutPrefix(text, markRunning)
	return running && boot != "" && boot == bootID(), false, nil
}

// running marks that the state file is in use.
func (s stopMark) running() error {
	return durable.WriteFile(s.path(), []byte(markRunning+bootID()+"\n"), 0o600)
}

// damaged marks that the state file is not to be used any more.
func (s stopMark) damaged() error {
	return durable.WriteFile(s.path(), []byte(markDamaged+"\n"), 0o600)
}

// clean marks that the state file is on the disk and closed.
func (s stopMark) clean() error { return durable.WriteFile(s.path(), []byte(markClean+"\n"), 0o600) }
