package raftstore

import (
	"fmt"
	"sync"
	"time"

	"overcrank/farm"
)

const (
	defaultMinFree = 1 << 30
	diskCheckEvery = time.Second
)

// diskWatch refuses writes while the disk is nearly full, so that the log never meets a full one.
type diskWatch struct {
	folder  string
	minFree int64

	mu      sync.Mutex
	checked time.Time
	free    int64
	err     error
}

func newDiskWatch(folder string, minFree int64) *diskWatch {
	if minFree == 0 {
		minFree = defaultMinFree
	}
	return &diskWatch{folder: folder, minFree: minFree}
}

// check is nil while enough space is free. It asks the system at most once a second.
func (d *diskWatch) check() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); now.Sub(d.checked) >= diskCheckEvery {
		d.free, d.err = diskFree(d.folder)
		d.checked = now
	}
	if d.err != nil {
		return farm.Errorf(farm.CodeUnavailable, "the free space of the disk that holds %s cannot be read: %w", d.folder, d.err)
	}
	if d.free < d.minFree {
		return farm.Errorf(farm.CodeUnavailable, "the disk that holds %s has only %s free and the farm accepts no changes below %s; make room on it",
			d.folder, megabytes(d.free), megabytes(d.minFree))
	}
	return nil
}

// report is check with its numbers.
func (d *diskWatch) report(name string) farm.Check {
	err := d.check()
	d.mu.Lock()
	defer d.mu.Unlock()
	space := &farm.DiskSpace{Path: d.folder, Free: d.free, Need: d.minFree}
	if err != nil {
		return farm.Check{Name: name, Err: err, Disk: space}
	}
	return farm.Check{Name: name, Found: fmt.Sprintf("%s are free in %s, %s are needed", megabytes(d.free), d.folder, megabytes(d.minFree)), Disk: space}
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }
