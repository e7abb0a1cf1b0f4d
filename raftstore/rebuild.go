package raftstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/raft"

	"overcrank/durable"
	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore/boltfile"
	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
)

// The state file is not synced with its changes, and a disk or memory may change what lies there. All that is in it is in the newest
// snapshot and the log too, which carry checksums. So a node that finds its file damaged stops believing it at once, makes it again from
// these, and goes on.

const (
	// walkFirst is how long after the start the first look through the whole file begins, so that the start itself is over.
	walkFirst = time.Second
	// walkRest is the least time from one look through the file to the next, and walkRate how many bytes a second all of these
	// may read in the long run.
	walkRest = 10 * time.Minute
	walkRate = 1 << 20
	// One look reads walkFree bytes without a pause. Behind them it reads walkSpeed bytes a second at most, and rests walkShare times as
	// long as it worked: a fifth of a processor.
	walkFree  = 32 << 20
	walkSpeed = 64 << 20
	walkShare = 4
	// walkAgain is the least time between two looks because something could not be understood.
	walkAgain = time.Minute

	rebuildTries = 3 // since a snapshot may be replaced by another while it is read
	rebuildPause = time.Second
)

const damageRemedy = "nothing has to be done now; check this machine's disk and memory if it happens again"

// Integrity is what is known of whether this node's state file holds what was written to it.
type Integrity struct {
	Verified time.Time // when the whole file was last looked through and found whole; zero for not since the start
	Rebuilds int64     // how often it was found damaged and made again since the start, which counts too
	Rebuilt  time.Time // when last; zero for not
	Damage   string    // what was found then
}

// Integrity tells whether this node's state file holds what was written to it.
func (s *Store) Integrity() Integrity { return *s.integrity.Load() }

// note changes what Integrity tells. It is called by one goroutine at a time.
func (s *Store) note(change func(*Integrity)) {
	known := s.Integrity()
	change(&known)
	s.integrity.Store(&known)
}

func (s *Store) noteRebuilt(cause error) {
	s.note(func(i *Integrity) { i.Rebuilds, i.Rebuilt, i.Damage = i.Rebuilds+1, time.Now(), cause.Error() })
}

// markDamaged stops the use of a damaged state file, and has it made again. A file that has been replaced meanwhile is left alone.
func (m *machine) markDamaged(state *layered.Store, err error) {
	if !m.rebuilds || m.inUse.Load() != state || !m.broken.CompareAndSwap(nil, &err) {
		return
	}
	select {
	case m.damageFound <- struct{}{}:
	default:
	}
}

// markIfDamaged calls markDamaged when err is ErrDamaged.
func (m *machine) markIfDamaged(state *layered.Store, err error) {
	if errors.Is(err, layered.ErrDamaged) {
		m.markDamaged(state, err)
	}
}

// damage is why the state file is not used at the moment; nil while it is used.
func (m *machine) damage() error {
	if err := m.broken.Load(); err != nil {
		return farm.Errorf(farm.CodeUnavailable, "this node's state file is damaged and is made again from its snapshot and log, which takes seconds to minutes: %w", *err)
	}
	return nil
}

// requestWalk has the whole file verified soon: a row in it could not be decoded.
func (m *machine) requestWalk() {
	select {
	case m.walkWanted <- struct{}{}:
	default:
	}
}

// sound verifies the file, and is ErrDamaged when it is damaged. It is called when a rule meets what can never be: normally every node meets it, and
// all decide alike. When it comes of a damaged row, only this node meets it, and must not decide by it.
func (m *machine) sound() error {
	if !m.rebuilds {
		return nil
	}
	return m.state.Sound()
}

// awaitRebuilt waits, after entries could not be applied, until a damaged state file has been made again. It is false when damage was not the
// cause, or when the node stops first.
func (m *machine) awaitRebuilt(err error) bool {
	if !m.rebuilds || errors.Is(err, command.ErrNewer) {
		return false
	}
	state := m.inUse.Load()
	if m.broken.Load() == nil && !errors.Is(err, layered.ErrDamaged) {
		// A rule may have failed because a row that it needs is gone.
		found := state.Sound()
		if !errors.Is(found, layered.ErrDamaged) {
			return false
		}
		err = errors.Join(found, err)
	}
	m.markDamaged(state, err)
	for {
		next := m.progress.next()
		if m.broken.Load() == nil {
			return true
		}
		select {
		case <-next:
		case <-m.ended.Done():
			return false
		}
		if m.halted.Load() {
			return false
		}
	}
}

// paceWalk slows a walk over the file down so that others can use the disk and the processors. The walk ends with ctx, or when the file is known to be damaged.
func (m *machine) paceWalk(ctx context.Context) func(bytes int) error {
	began, read := time.Now(), 0
	return func(bytes int) error {
		if err := m.damage(); err != nil {
			return err
		}
		if read += bytes; read < walkFree {
			return ctx.Err()
		}
		worked := time.Since(began)
		if interval.Wait(ctx, max(walkShare*worked, time.Duration(bytes)*time.Second/walkSpeed-worked)) != nil {
			return context.Cause(ctx)
		}
		began = time.Now()
		return nil
	}
}

// watchState verifies the state file from time to time, and makes it again when it is damaged, until ctx ends.
func (s *Store) watchState(ctx context.Context, logger *slog.Logger) {
	wait := time.NewTimer(walkFirst)
	defer wait.Stop()
	var looked time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.machine.damageFound:
			if err := s.rebuild(ctx, logger); err != nil && ctx.Err() == nil {
				// Whoever applies waits for the file, and must not do so when it does not come.
				s.machine.halt(fmt.Errorf("the state file of this node is damaged and could not be made again: %w; %s", err, boltfile.WayOut))
				s.machine.progress.tell()
				return
			}
			continue
		case <-s.machine.walkWanted:
			if since := time.Since(looked); since < walkAgain {
				wait.Reset(walkAgain - since)
				continue
			}
		case <-wait.C:
		}
		looked = time.Now()
		s.walkState(ctx, logger)
		wait.Reset(max(walkRest, time.Duration(s.machine.size()/walkRate)*time.Second))
	}
}

// walkState verifies the whole state file.
func (s *Store) walkState(ctx context.Context, logger *slog.Logger) {
	m := s.machine
	state := m.inUse.Load()
	err := state.Verify(m.paceWalk(ctx))
	switch {
	case errors.Is(err, layered.ErrDamaged):
		m.markDamaged(state, err)
	case err == nil:
		s.note(func(i *Integrity) { i.Verified = time.Now() })
	case ctx.Err() == nil && m.damage() == nil && m.inUse.Load() == state:
		logger.Warn("the state file could not be verified; another attempt follows", "error", err)
	}
}

// rebuild makes the state file again. A leader lets another lead meanwhile, where there is one.
func (s *Store) rebuild(ctx context.Context, logger *slog.Logger) error {
	cause := s.machine.broken.Load()
	if cause == nil {
		return nil // another file has taken its place
	}
	began := time.Now()
	logger.Error("the state file of this node is damaged; it is made again from the newest snapshot and the log, and the node takes no work until then",
		"file", s.machine.path, "error", *cause, "remedy", damageRemedy)
	// Or a node that ends now would believe the file at its next start.
	if err := s.mark.damaged(); err != nil {
		return err
	}
	if servers, err := s.servers(); err == nil && len(servers) > 1 && s.raft.State() == raft.Leader {
		if err := s.raft.LeadershipTransfer().Error(); err != nil {
			logger.Warn("no other node took over the lead", "error", err)
		}
	}
	for try := 1; ; {
		err := s.machine.rebuild(ctx, s.snapshots, s.log)
		if err == nil {
			break
		}
		if !durable.Blocked(err) {
			try++
		}
		if try > rebuildTries || interval.Wait(ctx, rebuildPause) != nil {
			return err
		}
	}
	s.newest.Store(false) // it may have been read of a damaged row
	s.noteRebuilt(*cause)
	logger.Info("the state file has been made again", "took", time.Since(began).Round(time.Millisecond), "bytes", s.machine.size())
	if s.rebuilt != nil {
		s.rebuilt()
	}
	return s.mark.running()
}

// rebuild puts a state file in the place of the damaged one that is made of the newest snapshot that can be read and the log behind it,
// up to where the machine is. Nothing is applied meanwhile: whoever wants to waits in awaitRebuilt.
func (m *machine) rebuild(ctx context.Context, snapshots raft.SnapshotStore, log raft.LogStore) error {
	m.mu.Lock() // behind whatever is being applied
	last, damaged, broken := m.last.Load(), m.state, m.broken.Load()
	m.mu.Unlock()
	if broken == nil {
		return nil
	}
	path := rebuiltPath(m.path)
	if err := m.refill(ctx, path, last, snapshots, log); err != nil {
		return errors.Join(err, os.RemoveAll(path))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state != damaged { // the state came as another node's snapshot meanwhile
		return os.RemoveAll(path)
	}
	if !damaged.Closable() && !replacesOpen() {
		return errors.New("the damaged file cannot be replaced before the process has ended: start the node again, and it makes the file again by itself")
	}
	if err := m.exchange(path, nil); err != nil {
		return err
	}
	_, fingerprint := reached(m.db)
	m.trail.begin(last, fingerprint)
	m.broken.Store(nil)
	m.progress.tell()
	return nil
}

// rebuiltPath is where a state file is made again.
func rebuiltPath(state string) string { return state + ".rebuilt" }

// refill makes a state file at path with all changes up to last.
func (m *machine) refill(ctx context.Context, path string, last uint64, snapshots raft.SnapshotStore, log raft.LogStore) error {
	if err := takeSnapshot(path, snapshots); err != nil {
		return err
	}
	var failed error
	again, err := openMachine(path, m.codec, func(err error) { failed = err }, m.portion)
	if err != nil {
		return err
	}
	again.rules.Wrong = m.rules.Wrong
	if again.last.Load() > last {
		err = fmt.Errorf("the newest snapshot ends at change %d, and this node has applied %d", again.last.Load(), last)
	}
	for index := again.last.Load() + 1; index <= last && err == nil && failed == nil; index++ {
		var entry raft.Log
		if err = log.GetLog(index, &entry); err != nil {
			err = fmt.Errorf("read change %d of the log: %w", index, err)
		} else if entry.Type == raft.LogCommand || entry.Type == raft.LogConfiguration {
			again.ApplyBatch([]*raft.Log{&entry})
		}
		if err == nil {
			err = ctx.Err()
		}
	}
	return errors.Join(err, failed, again.close(), boltfile.UnmarkFree(path))
}

// takeSnapshot brings the newest snapshot that is whole to path; without any, nothing is there.
func takeSnapshot(path string, snapshots raft.SnapshotStore) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	list, err := snapshots.List()
	if err != nil {
		return fmt.Errorf("list snapshots: %w", err)
	}
	var failed error
	for _, found := range list {
		_, source, err := snapshots.Open(found.ID)
		if err == nil {
			_, err = receiveSnapshot(source, path)
			err = errors.Join(err, source.Close())
		}
		if err == nil {
			err = prepareState(path)
		}
		if err == nil {
			return nil
		}
		failed = errors.Join(failed, fmt.Errorf("read snapshot %s: %w", filepath.Base(found.ID), err), os.RemoveAll(path))
	}
	return failed
}
