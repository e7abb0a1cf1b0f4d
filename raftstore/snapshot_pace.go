package raftstore

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"overcrank/interval"
)

// The snapshot of a large farm has gigabytes, and the farm works on while it is written. So it is written in pieces, with pauses that leave the disk
// and the processors to requests. Each piece is synced by itself: otherwise the system would write its whole cache at once, and the log's writes
// would wait for all of it.
const (
	gentleFrom  = 32 << 20 // bytes that are written without a pause
	gentlePiece = 2 << 20  // bytes from one pause to the next
	gentleShare = 3        // a pause is so many times as long as its piece took
	gentlePause = 60 * time.Millisecond
)

// gentle is a writer that pauses.
type gentle struct {
	w    io.Writer
	sync func() error // brings what was written to the disk
	ctx  context.Context

	written, piece int64
	began          time.Time // of the piece
}

func (g *gentle) Write(p []byte) (int, error) {
	if g.began.IsZero() {
		g.began = time.Now()
	}
	n, err := g.w.Write(p)
	g.written += int64(n)
	if g.piece += int64(n); err != nil || g.piece < gentlePiece || g.written < gentleFrom {
		return n, err
	}
	if err := g.sync(); err != nil {
		return n, err
	}
	if interval.Wait(g.ctx, min(gentleShare*time.Since(g.began), gentlePause)) != nil {
		return n, fmt.Errorf("the node stops: %w", context.Cause(g.ctx))
	}
	g.piece, g.began = 0, time.Now()
	return n, nil
}

// syncing gives a function that brings a file, which somebody else is writing, to the disk. A file that is not there stays
// unsynced: its writer syncs it at the end.
func syncing(path string) (sync func() error, done func()) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return func() error { return nil }, func() {}
	}
	return file.Sync, func() { _ = file.Close() }
}
