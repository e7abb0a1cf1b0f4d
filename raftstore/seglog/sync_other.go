//go:build !linux

package seglog

import "os"

// datasync brings a file's content to the disk.
func datasync(file *os.File) error { return file.Sync() }
