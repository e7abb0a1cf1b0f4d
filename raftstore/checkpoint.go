package raftstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"overcrank/durable"
	"overcrank/interval"
	"overcrank/raftstore/boltfile"
)

// The state file is not synced with each change. Now and then it is, behind a pin that keeps what belongs to its state at that moment
// from being written again (boltfile.Pin), and what leads to that state is kept beside it. A machine that lost its power goes on from
// there, by as much of the log as has come since, instead of making the whole file anew from the newest snapshot. So a stop need not
// wait for the disk either.

const (
	checkpointLook = 5 * time.Second // how often is looked whether one is due
	// checkpointEvery is after how long a changed file is brought to the disk, and checkpointBytes after how much more of the log: a
	// start after a loss of power replays so much, which takes seconds.
	checkpointEvery = 30 * time.Second
	checkpointBytes = 64 << 20

	// A checkpoint's file is checkpointMagic, when state.mark was written (8 bytes, Unix nanoseconds), the head of the pin, and SHA-256
	// over all of that. A start writes state.mark anew, in earlier releases too: a checkpoint of the run before is void then, since
	// whatever ran in between may have written over its pages.
	checkpointMagic = "OCCHECK\x01"
)

// checkpoint is the pin behind which the state file was synced last.
type checkpoint struct {
	mu     sync.Mutex
	pins   []*boltfile.Pin // the last is that of the checkpoint in force; those before it may be, when it could not be written for certain
	at     time.Time
	logged int64 // bytes that the machine had applied then
}

func checkpointPath(state string) string { return state + ".checkpoint" }

// checkpoints says whether a state file may stay pinned: its mapping must have room to grow. Where nobody can tell a machine that was
// restarted from one that was not, a stop has to sync the file anyway.
func checkpoints() bool {
	return strconv.IntSize == 64 && runtime.GOOS != "windows" && bootID() != ""
}

// keepCheckpoints makes checkpoints as they become due until ctx ends, the first at once: those of the run before are void, and a start
// without any replays the whole log. It does so beside snapshots: one that is older than the newest snapshot is of no use.
func (s *Store) keepCheckpoints(ctx context.Context, logger *slog.Logger) {
	if !checkpoints() {
		return
	}
	for wait := time.Duration(0); interval.Wait(ctx, wait) == nil; wait = checkpointLook {
		if s.machine.halted.Load() || s.machine.damage() != nil || !s.machine.checkpoint.due(s.machine.logged.Load()) {
			continue
		}
		if err := s.machine.keepCheckpoint(ctx); err != nil && ctx.Err() == nil {
			logger.Warn("the state file could not be brought to the disk; after a loss of power it would be made anew", "error", err)
		}
	}
}

// keepCheckpoint makes a checkpoint. It takes its time: the disk has others to serve.
func (m *machine) keepCheckpoint(ctx context.Context) (err error) {
	logged := m.logged.Load()
	db, pin, file, err := m.hold()
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if pin != nil {
			pin.Release()
		}
	}()
	if err := syncGently(ctx, file); err != nil {
		return fmt.Errorf("bring the state to the disk: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.db != db {
		return nil // another state has taken its place
	}
	if err := m.damage(); err != nil {
		return err
	}
	held := pin
	pin = nil
	return m.checkpoint.keep(m.path, held, logged)
}

// hold pins the state, and opens its file a second time, which stays the same one whatever takes its place.
func (m *machine) hold() (*bbolt.DB, *boltfile.Pin, *os.File, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	file, err := os.OpenFile(m.path, os.O_WRONLY, 0)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("bring the state to the disk: %w", err)
	}
	tx, err := m.state.Reading()
	if err != nil {
		return nil, nil, nil, errors.Join(err, file.Close())
	}
	pin, err := boltfile.Hold(tx)
	if err != nil {
		return nil, nil, nil, errors.Join(err, file.Close())
	}
	return m.db, pin, file, nil
}

func (c *checkpoint) due(logged int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	more := logged - c.logged
	return len(c.pins) == 0 || more >= checkpointBytes || more > 0 && time.Since(c.at) >= checkpointEvery
}

// keep writes down a pin behind which the file was synced, and lets those before it go.
func (c *checkpoint) keep(state string, pin *boltfile.Pin, logged int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pins = append(c.pins, pin)
	marked, err := markedAt(state)
	if err != nil {
		return err
	}
	content := binary.BigEndian.AppendUint64([]byte(checkpointMagic), uint64(marked))
	content = append(content, pin.Head()...)
	sum := sha256.Sum256(content)
	if err := durable.WriteFile(checkpointPath(state), append(content, sum[:]...), 0o600); err != nil {
		return fmt.Errorf("keep a checkpoint of the state: %w", err)
	}
	for _, old := range c.pins[:len(c.pins)-1] {
		old.Release()
	}
	c.pins, c.at, c.logged = []*boltfile.Pin{pin}, time.Now(), logged
	return nil
}

// kept says whether there is a checkpoint.
func (c *checkpoint) kept() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.at.IsZero()
}

// release lets the pins go. The checkpoint stays good when nothing is written to the file any more.
func (c *checkpoint) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, pin := range c.pins {
		pin.Release()
	}
	c.pins, c.at = nil, time.Time{}
}

// drop ends the checkpoint, before another file takes the place of its state.
func (c *checkpoint) drop(state string) error {
	if err := dropCheckpoint(state); err != nil {
		return err
	}
	c.release()
	return nil
}

func dropCheckpoint(state string) error {
	err := os.Remove(checkpointPath(state))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = durable.SyncFolder(filepath.Dir(state))
	}
	if err != nil {
		return fmt.Errorf("drop the checkpoint of the state: %w", err)
	}
	return nil
}

// markedAt is when state.mark was written, in Unix nanoseconds.
func markedAt(state string) (int64, error) {
	info, err := os.Stat(stopMark{folder: filepath.Dir(state)}.path())
	if err != nil {
		return 0, fmt.Errorf("look when this run of the farm began: %w", err)
	}
	return info.ModTime().UnixNano(), nil
}

// restoreCheckpoint brings the state file back to the last checkpoint; false when there is none that is good.
func restoreCheckpoint(state string, logger *slog.Logger) bool {
	head, err := readCheckpoint(state)
	if err == nil {
		err = boltfile.Restore(state, head)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case err != nil:
		logger.Warn("the checkpoint of the state file cannot be used; the state is made again from the newest snapshot and the log", "error", err)
		return false
	}
	logger.Info("the machine went down while the state file was in use; it goes on from its last checkpoint")
	return true
}

var errNoCheckpoint = errors.New("it is not one of this state file")

func readCheckpoint(state string) (head []byte, err error) {
	content, err := os.ReadFile(checkpointPath(state))
	if err != nil {
		return nil, err
	}
	from, to := len(checkpointMagic)+8, len(content)-sha256.Size
	if to <= from || !bytes.HasPrefix(content, []byte(checkpointMagic)) {
		return nil, errNoCheckpoint
	}
	if sum := sha256.Sum256(content[:to]); !bytes.Equal(sum[:], content[to:]) {
		return nil, errors.New("its checksum does not match")
	}
	marked, err := markedAt(state)
	if err != nil {
		return nil, err
	}
	if binary.BigEndian.Uint64(content[from-8:]) != uint64(marked) {
		return nil, errNoCheckpoint
	}
	return content[from:to], nil
}
