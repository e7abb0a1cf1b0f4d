//go:build unix

package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// closeOff lets people pass through a folder, but neither list nor change it. It refuses a folder that another account has put there.
func closeOff(dir string) error {
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} { // what is there, and where it leads if it is a link
		info, err := look(dir)
		if err != nil {
			return err
		}
		if uid := int(info.Sys().(*syscall.Stat_t).Uid); uid != os.Geteuid() {
			return fmt.Errorf("%s belongs to account %d, which could change what the agent does there: remove it, or choose another data folder", dir, uid)
		}
	}
	return os.Chmod(dir, 0o711)
}

// give changes the owner of the folders. The person may enter dir, but not list it.
func give(to *link, dir string, folders []string) (takeBack func() error, err error) {
	uid, err := strconv.Atoi(to.person.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the number of an account: %w", err)
	}
	own := os.Geteuid()
	if uid == own {
		return func() error { return nil }, nil
	}
	if own != 0 {
		return nil, errors.New("only root can give files to another account: run the agent's service as root")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("giving files to who is signed in: %w", err)
	}
	takeBack = sync.OnceValue(func() error {
		err := root.Chmod(".", 0o700)
		for _, folder := range folders {
			err = errors.Join(err, each(root, folder, func(path string, info fs.FileInfo) error { return takeOne(root, path, info) }))
		}
		return errors.Join(err, root.Close())
	})
	for _, folder := range folders {
		err = errors.Join(err, each(root, folder, func(path string, info fs.FileInfo) error { return giveOne(root, path, info, uid, to.gid) }))
	}
	if err = errors.Join(err, root.Chmod(".", 0o711)); err != nil {
		return nil, errors.Join(fmt.Errorf("giving files to who is signed in: %w", err), takeBack())
	}
	return takeBack, nil
}

// giveOne gives a file. Nobody else can reach it meanwhile.
func giveOne(root *os.Root, path string, info fs.FileInfo, uid, gid int) error {
	if info.Mode().IsRegular() && linked(info) {
		return fmt.Errorf("%s has other links, so its owner must not change", path)
	}
	return root.Lchown(path, uid, gid)
}

// takeOne takes back a file or folder, and removes anything else. A folder is taken back before it is listed, since the person can still change what lies
// deeper.
func takeOne(root *os.Root, path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.Join(root.Lchown(path, os.Geteuid(), os.Getegid()), root.Chmod(path, 0o700))
	case info.Mode().IsRegular() && !linked(info):
		return errors.Join(root.Lchown(path, os.Geteuid(), os.Getegid()), root.Chmod(path, 0o600))
	}
	return root.Remove(path)
}

// linked tells whether a file has other links.
func linked(info fs.FileInfo) bool { return info.Sys().(*syscall.Stat_t).Nlink > 1 }
