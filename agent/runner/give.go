package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Prepare makes the folder that holds the folders of attempts. People may pass through it to folders that are given to them, but not list it.
func Prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return closeOff(dir)
}

// Give gives the person of a session some of the folders in dir and their content while After Effects needs them; nothing else in dir becomes readable.
// takeBack takes them back: all files and folders in them belong to this account again, and links and other special files are removed. Calling it twice
// does nothing.
func (s *Seat) Give(dir string, folders ...string) (takeBack func() error, err error) {
	return give(s.link, dir, folders)
}

// each calls do for a folder in root, if it exists, and for all that is in it, a folder before its content. It follows no links.
func each(root *os.Root, folder string, do func(path string, info fs.FileInfo) error) error {
	folder = filepath.ToSlash(folder)
	if _, err := root.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := fs.WalkDir(root.FS(), folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := root.Lstat(path)
		if err != nil {
			return err
		}
		return do(path, info)
	})
	if err != nil {
		return fmt.Errorf("going through %s: %w", folder, err)
	}
	return nil
}

// Collect moves a file that After Effects has written out of a folder that was given to the person; from and to are below dir. It refuses anything but a
// plain file without other links: the person may have linked a file of somebody else there.
func (s *Seat) Collect(dir, from, to string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	from, to = filepath.ToSlash(from), filepath.ToSlash(to)
	if err := root.Rename(from, to); err != nil {
		return fmt.Errorf("moving a file: %w", err)
	}
	info, err := root.Lstat(to) // here the person can no longer change it
	if err == nil && (!info.Mode().IsRegular() || linked(info)) {
		err = fmt.Errorf("%s is not a plain file, as After Effects writes them", from)
		err = errors.Join(err, root.Remove(to))
	}
	return err
}
