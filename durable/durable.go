// Package durable writes files atomically: whoever reads one, also after a power cut, finds the whole old content or the whole new
// content.
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

// ErrNoRoom is the error of work that is not begun because it would fill the disk. Full reports it, too.
var ErrNoRoom = errors.New("the disk has no room for it")

// NoFolder is the error of writing a file whose folder does not exist.
type NoFolder struct{ Folder string }

func (e *NoFolder) Error() string {
	return fmt.Sprintf("there is no folder %s: make it, or name a file in another one", e.Folder)
}

// Unwrap gives fs.ErrNotExist.
func (e *NoFolder) Unwrap() error { return fs.ErrNotExist }

// HasFolder checks that the folder of the file at path exists. The error is a *NoFolder when it does not.
func HasFolder(path string) error {
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return &NoFolder{Folder: folder}
	}
	return nil
}

// Write replaces the file at path with what fill writes, with the permissions perm. The content is written to a temporary file in the same
// folder, synced, and renamed; after an error the temporary file is removed. Errors name path; a missing folder is a *NoFolder.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return cmp.Or(HasFolder(path), withPath(err, path))
	}
	err = fill(temp)
	if err == nil {
		err = errors.Join(temp.Chmod(perm), temp.Sync())
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = withPath(os.Rename(temp.Name(), path), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// withPath gives an error of the temporary file the path of the file that is replaced: the temporary name means nothing to anybody.
func withPath(err error, path string) error {
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

// WriteFile is Write with the content in memory.
func WriteFile(path string, content []byte, perm fs.FileMode) error {
	return Write(path, perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// SyncFolder syncs a folder, so that files made, renamed or removed in it stay so after a power cut. Windows needs no such call.
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
