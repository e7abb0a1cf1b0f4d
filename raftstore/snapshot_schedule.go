package raftstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"overcrank/interval"
	"overcrank/raftstore/boltfile"
)

// When a snapshot is due depends on how much was added to the log since the last one, compared with how large the state is:
// a snapshot writes the whole state, and so the work of all of them stays in proportion to the work of the log, whatever a
// farm grows to. The log is never much longer than the state, which bounds what a restart of the machine replays.
const (
	mappedLook = time.Second // how often mapped memory is measured
	mappedMost = 128 << 20   // bytes above which it is released at once
	mappedRest = 10          // measurements after which less is released too

	snapshotLook  = 10 * time.Second // how often it is checked whether one is due
	snapshotFloor = 16 << 20         // bytes of log below which none is written
	trailingBytes = 64 << 20         // bytes of log that stay behind a snapshot
	snapshotShare = 2                // the log may grow by the state's size divided by this
	// entryEstimate is the assumed size in bytes of an entry that was applied before this process started.
	entryEstimate = 1 << 10
)

// keepSnapshots writes snapshots when they are due, until ctx ends.
func (s *Store) keepSnapshots(ctx context.Context, logger *slog.Logger) {
	for interval.Wait(ctx, snapshotLook) == nil {
		if s.machine.damage() != nil || !s.snapshotDue() {
			continue
		}
		began := time.Now()
		if err := errors.Join(s.trimTrail(), s.Snapshot()); err != nil && ctx.Err() != nil {
			return // a node that stops abandons it
		} else if err != nil {
			logger.Error("a snapshot of the farm's state could not be written", "error", err)
			continue
		}
		logger.Info("wrote a snapshot of the farm's state", "took", time.Since(began), "bytes", s.machine.size())
	}
}

// releaseMapped releases mapped memory of the state file until ctx ends: otherwise it would grow to the size of the file. A node that begins to
// lead reads a third of the file within seconds.
func (s *Store) releaseMapped(ctx context.Context, logger *slog.Logger) {
	tick := time.NewTicker(mappedLook)
	defer tick.Stop()
	for since := 0; ; since++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if since < mappedRest && boltfile.Mapped() < mappedMost {
			continue
		}
		since = 0
		if err := s.machine.release(); err != nil {
			logger.Warn("mapped memory could not be released", "error", err)
		}
	}
}

// trimTrail sets how many entries stay behind a snapshot for followers that lag: so many that they are no more than
// trailingBytes, taking them to be as large as those since the last snapshot.
func (s *Store) trimTrail() error {
	settings := s.raft.ReloadableConfig()
	entry := s.machine.grown.Load() / max(s.machine.entries.Load(), 1)
	settings.TrailingLogs = uint64(min(trailingLogs, trailingBytes/max(entry, 1)))
	if err := s.raft.ReloadConfig(settings); err != nil {
		return fmt.Errorf("set how much of the log stays behind a snapshot: %w", err)
	}
	return nil
}

func (s *Store) snapshotDue() bool {
	return s.machine.grown.Load() >= max(snapshotFloor, s.machine.size()/snapshotShare)
}
