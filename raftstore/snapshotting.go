package raftstore

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// When a snapshot is due depends on how much was added to the log since the last one, compared with how large the state is:
// a snapshot writes the whole state, and so the work of all of them stays in proportion to the work of the log, whatever a
// farm grows to. The log is never much longer than the state, which bounds what a restart of the machine replays.
const (
	snapshotLook  = 10 * time.Second // how often is looked whether one is due
	snapshotFloor = 16 << 20         // bytes of log below which none is worth it
	snapshotShare = 2                // the log may grow by the state's size divided by this
	// entryEstimate is what an entry is taken to be that was applied before this process started, in bytes.
	entryEstimate = 1 << 10
)

// tidy writes snapshots as they become due, and gives mapped memory back, until ctx ends.
func (s *Store) tidy(ctx context.Context, logger *slog.Logger) {
	tick := time.NewTicker(snapshotLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := errors.Join(s.machine.release(), s.log.Release()); err != nil {
			logger.Warn("mapped memory could not be given back", "error", err)
		}
		if !s.snapshotDue() {
			continue
		}
		began := time.Now()
		if err := s.Snapshot(); err != nil {
			logger.Error("a snapshot of the farm's state could not be written", "error", err)
			continue
		}
		logger.Info("wrote a snapshot of the farm's state", "took", time.Since(began), "bytes", s.machine.size())
	}
}

func (s *Store) snapshotDue() bool {
	return s.machine.grown.Load() >= max(snapshotFloor, s.machine.size()/snapshotShare)
}
