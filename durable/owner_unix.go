//go:build unix

package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// KeepOwner gives what the system's administrator has made below a folder to the folder's owner, as when a command was run in the folder of a
// service that is another user. Of anybody else there is nothing to give.
func KeepOwner(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	top, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("looking for the owner of a folder: %w", err)
	}
	owner, ok := top.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		// A file with a second name may be one from elsewhere.
		if was, ok := info.Sys().(*syscall.Stat_t); !ok || was.Uid != 0 || !info.IsDir() && was.Nlink > 1 {
			return nil
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
}
