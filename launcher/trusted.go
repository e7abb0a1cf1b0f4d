package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// UntrustedError means that an account without the rights of an administrator could change a file or folder whose content the system follows.
type UntrustedError struct {
	Path   string // of the file or folder
	Reason string // who could change it
}

func (e *UntrustedError) Error() string { return e.Path + " is not safe: " + e.Reason }

// access is what other accounts must not have of a file or folder.
type access int

const (
	toChange access = iota // to change its content, or to replace it
	// toReplace is what counts of the folders above. In some, as in C:\ProgramData and /tmp, everybody may make new entries; that is harmless as long as
	// nobody can move or remove those of others.
	toReplace
)

// Trusted fails with an *UntrustedError if the file or folder at path could be changed, or something else put in its place, by an account that is none of
// these: the system's, an administrator's, this process's, and the given ones, which are numbers of accounts, or SIDs on Windows. A link on the way has
// to be trusted as well as what it leads to.
func Trusted(path string, accounts ...string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	for _, way := range []string{path, target} {
		if err := inspect(way, toChange, accounts); err != nil {
			return err
		}
		for above := filepath.Dir(way); above != way; way, above = above, filepath.Dir(above) {
			if err := inspect(above, toReplace, accounts); err != nil {
				return err
			}
		}
	}
	return nil
}

// TrustedTree is Trusted for a folder and what is in it, as many levels down. If there is no such folder, it is trusted as long as nobody else could replace
// the one that it would be made in.
func TrustedTree(folder string, levels int, accounts ...string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder) {
		return trustedAbove(filepath.Dir(folder), accounts)
	}
	if err := Trusted(folder, accounts...); err != nil || levels == 0 {
		return err
	}
	top, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	return filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		} else if err != nil {
			return err
		}
		if err := inspect(path, toChange, accounts); err != nil {
			return err
		}
		if entry.IsDir() && path != top && strings.Count(path[len(top):], string(filepath.Separator)) >= levels {
			return fs.SkipDir
		}
		return nil
	})
}

// trustedAbove is TrustedTree for the folder that a new one would be made in.
func trustedAbove(folder string, accounts []string) error {
	target, err := filepath.EvalSymlinks(folder)
	if errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder) {
		return trustedAbove(filepath.Dir(folder), accounts)
	} else if err != nil {
		return err
	}
	for _, way := range []string{folder, target} {
		for {
			if err := inspect(way, toReplace, accounts); err != nil {
				return err
			}
			if way == filepath.Dir(way) {
				break
			}
			way = filepath.Dir(way)
		}
	}
	return nil
}

// SetAside renames what is at path, so that nobody follows it any more, and returns its new path.
func SetAside(path string, now time.Time) (string, error) {
	aside := path + ".untrusted-" + now.UTC().Format("20060102-150405")
	if err := patiently(func() error { return os.Rename(path, aside) }); err != nil {
		return "", fmt.Errorf("renaming what another account could have changed: %w", err)
	}
	return aside, nil
}
