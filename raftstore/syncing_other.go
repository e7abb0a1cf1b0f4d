//go:build !linux

package raftstore

import (
	"context"
	"os"
)

// syncGently brings a file to the disk.
func syncGently(_ context.Context, file *os.File) error { return file.Sync() }
