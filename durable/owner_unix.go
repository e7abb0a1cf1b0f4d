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

// KeepOwner gives files that root has made below a folder to the owner of the folder, as when root runs a command on the data folder of a
// service that has a user of its own. For any other user it does nothing.
func KeepOwner(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	top, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("find the owner of the data folder: %w", err)
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
		// A file with several hard links may be somebody else's.
		if was, ok := info.Sys().(*syscall.Stat_t); !ok || was.Uid != 0 || !info.IsDir() && was.Nlink > 1 {
			return nil
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
}
