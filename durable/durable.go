// Package durable writes files that are there wholly or not at all, also when the power goes: a reader, or the next start,
// finds the old content or the new.
package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// ErrNoRoom says that something is not begun since it would fill the disk. It is one of what Full tells.
var ErrNoRoom = errors.New("the disk has no room for it")

// Write replaces the file at path with what fill writes, with the permissions perm. The new content lies beside it under a
// name that begins with a dot until it is whole; after an error nothing of it stays.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return err
	}
	err = fill(temp)
	if err == nil {
		err = errors.Join(temp.Chmod(perm), temp.Sync())
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// WriteFile is Write of content that is at hand.
func WriteFile(path string, content []byte, perm fs.FileMode) error {
	return Write(path, perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// SyncFolder brings the names in a folder to the disk. Windows has no such call and needs none.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
