package raftstore

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"overcrank/interval"
)

// syncGently brings a large file to the disk in pieces, with pauses behind those that there was something to write of: what is written at
// once holds up the log's writes meanwhile.
func syncGently(ctx context.Context, file *os.File) error {
	const (
		piece = 8 << 20
		quick = time.Millisecond // nothing was written in
	)
	info, err := file.Stat()
	if err != nil {
		return err
	}
	for at := int64(0); at < info.Size(); at += piece {
		began := time.Now()
		// The call writes what was changed of the piece and waits for that; what makes it safe is the sync behind all pieces.
		err := unix.SyncFileRange(int(file.Fd()), at, piece, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
		if err != nil {
			break // some file systems cannot
		}
		if took := time.Since(began); took > quick && interval.Wait(ctx, min(took, gentlePause)) != nil {
			return context.Cause(ctx)
		}
	}
	return file.Sync()
}
