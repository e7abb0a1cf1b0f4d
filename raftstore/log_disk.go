package raftstore

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"

	"overcrank/durable"
	"overcrank/farm"
	"overcrank/interval"
)

const (
	diskRetry = 250 * time.Millisecond // pause before a failed write is tried again
	// syncStuck is how long a write of the log may take before the farm accepts no more changes.
	syncStuck = 5 * time.Second
	// syncDead is how long the leader of several nodes waits for a write that blocks Raft before the process ends.
	syncDead = 15 * time.Second
)

// logStore is where the log and Raft's few stable values lie.
type logStore interface {
	Size() int64 // bytes on the disk
	raft.LogStore
	raft.StableStore
	IsMonotonic() bool
	Close() error
}

// diskLog is the log on a disk that may be slow, full or read-only. It measures how long the disk takes, remembers whether it
// took the last change, and keeps Raft from standing for election as long as it does not.
type diskLog struct {
	logStore
	path   string
	before func() error // see Config.BeforeSync
	logger *slog.Logger
	syncs  syncTimes

	live  atomic.Bool     // Raft runs on it
	ended context.Context // no more time to wait
	end   context.CancelFunc

	mu    sync.Mutex
	err   error // of the last change; nil when it was taken
	since time.Time
}

var (
	_ raft.LogStore          = (*diskLog)(nil)
	_ raft.StableStore       = (*diskLog)(nil)
	_ raft.MonotonicLogStore = (*diskLog)(nil)
)

func newDiskLog(file logStore, path string, before func() error, logger *slog.Logger) *diskLog {
	d := &diskLog{logStore: file, path: path, before: before, logger: logger}
	d.ended, d.end = context.WithCancel(context.Background())
	return d
}

// StoreLog implements raft.LogStore.
func (d *diskLog) StoreLog(log *raft.Log) error { return d.StoreLogs([]*raft.Log{log}) }

// StoreLogs implements raft.LogStore. A leader whose disk does not take entries becomes a follower, and a follower has them
// sent again.
func (d *diskLog) StoreLogs(logs []*raft.Log) error {
	return d.write(func() error { return d.logStore.StoreLogs(logs) })
}

// DeleteRange implements raft.LogStore.
func (d *diskLog) DeleteRange(first, last uint64) error {
	return d.write(func() error { return d.logStore.DeleteRange(first, last) })
}

// Set implements raft.StableStore.
func (d *diskLog) Set(key, value []byte) error {
	return d.writeUntilTaken(func() error { return d.logStore.Set(key, value) })
}

// SetUint64 implements raft.StableStore.
func (d *diskLog) SetUint64(key []byte, value uint64) error {
	return d.writeUntilTaken(func() error { return d.logStore.SetUint64(key, value) })
}

// writeUntilTaken writes a term or a vote, and tries again until the disk takes it. Raft panics when it cannot store its term, and a node that
// cannot store its vote must not take part in elections: so it waits for its disk while the others go on without it. When the store is closed
// meanwhile, the calling goroutine of Raft ends: it must not go on as if the value were stored.
func (d *diskLog) writeUntilTaken(change func() error) error {
	for {
		err := d.write(change)
		if err == nil || !d.live.Load() || !durable.Blocked(err) {
			return err
		}
		if interval.Wait(d.ended, diskRetry) != nil {
			runtime.Goexit()
		}
	}
}

// write makes a change that is synced.
func (d *diskLog) write(change func() error) error {
	defer d.syncs.begin()()
	var err error
	if d.before != nil {
		err = d.before()
	}
	if err == nil {
		err = change()
	}
	d.note(err)
	return err
}

// note keeps and tells whether the disk takes changes.
func (d *diskLog) note(err error) {
	d.mu.Lock()
	before, since := d.err, d.since
	d.err = err
	if before == nil {
		d.since = time.Now()
	}
	d.mu.Unlock()
	switch {
	case err != nil && before == nil:
		d.logger.Error("the farm's log cannot be written; the farm accepts no changes until it can", "path", d.path, "error", err, "way out", wayOut(err))
	case err == nil && before != nil:
		d.logger.Info("the farm's log can be written again", "path", d.path, "after", time.Since(since).Round(time.Millisecond))
	}
}

// check is nil while the disk takes changes of the log, and takes them in time.
func (d *diskLog) check() error {
	d.mu.Lock()
	err, since := d.err, d.since
	d.mu.Unlock()
	if err != nil {
		return farm.Errorf(farm.CodeUnavailable, "the farm's log in %s could not be written for %v: %w; %s", d.path, time.Since(since).Round(time.Second), err, wayOut(err))
	}
	if waiting := d.syncs.waiting(); waiting > syncStuck {
		return farm.Errorf(farm.CodeUnavailable, "the disk that holds %s has not taken a change of the farm's log for %v; check the disk and what else uses it", d.path, waiting.Round(time.Second))
	}
	return nil
}

// wayOut says what somebody can do about a disk that takes nothing.
func wayOut(err error) string {
	if durable.Full(err) {
		return "make room on the disk, and the farm goes on by itself"
	}
	if durable.Blocked(err) {
		return "look at the disk and at how it is mounted; when it takes writes again, the farm goes on by itself"
	}
	return "look at the disk and the rights of this folder"
}

// SyncTimes is how long the disk takes for the changes of a node's log.
type SyncTimes struct {
	Count   uint64        // changes since the start
	Total   time.Duration // of all of them
	Last    time.Duration
	Worst   time.Duration // of the last minute or two
	Waiting time.Duration // of the one that the disk has not taken yet; 0 for none
}

// worstKept is how long the slowest change is remembered at least.
const worstKept = time.Minute

// syncTimes measures changes. One is under way at a time, as far as it matters here: Raft makes them one after the other.
type syncTimes struct {
	mu     sync.Mutex
	count  uint64
	total  time.Duration
	last   time.Duration
	worst  [2]time.Duration // of the present period and the one before
	period time.Time        // when the present one began
	open   map[uint64]time.Time
	next   uint64
}

// begin counts a change as under way until end is called.
func (s *syncTimes) begin() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[uint64]time.Time{}
	}
	s.next++
	id, began := s.next, time.Now()
	s.open[id] = began
	return func() { s.end(id, began, time.Now()) }
}

func (s *syncTimes) end(id uint64, began, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
	took := now.Sub(began)
	s.count++
	s.total += took
	s.last = took
	s.turn(now)
	s.worst[0] = max(s.worst[0], took)
}

// turn begins another period when the present one is over.
func (s *syncTimes) turn(now time.Time) {
	switch passed := now.Sub(s.period); {
	case passed >= 2*worstKept:
		s.worst, s.period = [2]time.Duration{}, now
	case passed >= worstKept:
		s.worst, s.period = [2]time.Duration{0, s.worst[0]}, now
	}
}

func (s *syncTimes) waiting() (longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, began := range s.open {
		longest = max(longest, time.Since(began))
	}
	return longest
}

func (s *syncTimes) read() SyncTimes {
	waiting := s.waiting()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(time.Now())
	return SyncTimes{Count: s.count, Total: s.total, Last: s.last, Worst: max(s.worst[0], s.worst[1]), Waiting: waiting}
}

// SyncTimes is how long the disk takes for the changes of this node's log.
func (s *Store) SyncTimes() SyncTimes { return s.log.syncs.read() }

// handOverEvery is how often a leader that cannot write tries to have another node lead.
const handOverEvery = 20 * time.Second

// watchDisk makes a leader whose disk takes no writes hand over to another node, until ctx ends. Its followers still hear its heartbeats and would
// not elect another by themselves.
func (s *Store) watchDisk(ctx context.Context, logger *slog.Logger, fatal func(error)) {
	var tried time.Time
	for interval.Wait(ctx, time.Second) == nil {
		if s.raft.State() != raft.Leader {
			continue
		}
		if servers, err := s.servers(); err != nil || len(servers) < 2 {
			continue
		}
		if waiting := s.log.syncs.waiting(); waiting > syncDead {
			fatal(fmt.Errorf("the disk that holds %s has not taken a change of the farm's log for %v, and this node leads: it ends so that another can", s.log.path, waiting.Round(time.Second)))
			return
		}
		cause := s.writable()
		if cause == nil || time.Since(tried) < handOverEvery {
			continue
		}
		tried = time.Now()
		logger.Warn("this node leads the farm and cannot write; it hands the lead over", "reason", cause)
		if err := s.raft.LeadershipTransfer().Error(); err != nil {
			logger.Warn("no other node took over", "error", err)
		}
	}
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
