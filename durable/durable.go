// Package durable writes files that are there wholly or not at all, also when the power goes: a reader, or the next start,
// finds the old content or the new.
package durable

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// ErrNoRoom says that something is not begun since it would fill the disk. It is one of what Full tells.
var ErrNoRoom = errors.New("the disk has no room for it")

// NoFolder is the error of a file whose folder is not there.
type NoFolder struct{ Folder string }

func (e *NoFolder) Error() string {
	return fmt.Sprintf("there is no folder %s: make it, or name a file in another one", e.Folder)
}

// Unwrap gives fs.ErrNotExist.
func (e *NoFolder) Unwrap() error { return fs.ErrNotExist }

// HasFolder is a *NoFolder when a file at path could not be made since its folder is not there.
func HasFolder(path string) error {
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return &NoFolder{Folder: folder}
	}
	return nil
}

// Write replaces the file at path with what fill writes, with the permissions perm. The new content lies beside it under a
// name that begins with a dot until it is whole; after an error nothing of it stays. Errors name path; a missing folder is *NoFolder.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return cmp.Or(HasFolder(path), named(err, path))
	}
	err = fill(temp)
	if err == nil {
		err = errors.Join(temp.Chmod(perm), temp.Sync())
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = named(os.Rename(temp.Name(), path), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// named is an error of the file beside path as one of path itself: nobody knows the other name.
func named(err error, path string) error {
	var of *fs.PathError
	var between *os.LinkError
	switch {
	case errors.As(err, &of):
		return &fs.PathError{Op: "write", Path: path, Err: of.Err}
	case errors.As(err, &between):
		return &fs.PathError{Op: "write", Path: path, Err: between.Err}
	}
	return err
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
