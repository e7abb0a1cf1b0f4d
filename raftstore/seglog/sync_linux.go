package seglog

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// datasync brings a file's content to the disk, and of what is noted about the file only what reading it needs.
func datasync(file *os.File) error {
	for {
		err := unix.Fdatasync(int(file.Fd()))
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
