package downloads

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/raftstore"
)

// maxShipped bounds how many files of a folder are looked at.
const maxShipped = 100

// Shipped are packages that lie in a folder of a coordinator's machine, where a package of the system has put them. It is for one goroutine.
type Shipped struct {
	downloads *Downloads
	dir       string
	seen      map[string]string // by name, the size and time of files that need no second look
	trouble   string            // that was logged last
}

// Shipped is a folder of packages, which may not be there.
func (d *Downloads) Shipped(dir string) *Shipped {
	return &Shipped{downloads: d, dir: dir, seen: map[string]string{}}
}

// Take has the farm hand out the packages of the folder that it does not have yet. Looking again costs a listing of the folder.
func (s *Shipped) Take(ctx context.Context) {
	trouble := ""
	if err := s.take(ctx); err != nil && ctx.Err() == nil {
		trouble = err.Error()
	}
	if trouble != "" && trouble != s.trouble {
		s.downloads.log.Warn("packages of this machine's folder are not handed out", "folder", s.dir, "error", trouble)
	}
	s.trouble = trouble
}

func (s *Shipped) take(ctx context.Context) error {
	folder, err := os.Stat(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && openToAll(folder) {
		return errors.New("everybody on this machine may write to the folder")
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	var all error
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !slices.Contains(farm.DownloadFormats(farm.DownloadPackage), strings.TrimPrefix(filepath.Ext(e.Name()), "."))
	})
	for _, e := range entries[:min(len(entries), maxShipped)] {
		info, err := os.Lstat(filepath.Join(s.dir, e.Name()))
		if err != nil || !info.Mode().IsRegular() || openToAll(info) {
			continue // it is being replaced, or is nothing that could be handed out
		}
		stamp := fmt.Sprint(info.Size(), info.ModTime())
		if s.seen[e.Name()] == stamp {
			continue
		}
		err = s.takeFile(ctx, e.Name(), info.Size())
		var why refused
		if err == nil || errors.As(err, &why) { // a file that is no package stays none
			s.seen[e.Name()] = stamp
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", e.Name(), err))
		}
	}
	return all
}

// openToAll tells whether everybody on the machine may change a file or a folder: who installs packages trusts what the farm hands out. On
// Windows modes do not tell, and there is no folder unless the administrator names one.
func openToAll(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0
}

// takeFile has the farm hand out one package, unless it has that version, or people have removed this very file.
func (s *Shipped) takeFile(ctx context.Context, name string, size int64) error {
	file, err := os.Open(filepath.Join(s.dir, name))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	made, err := ReadPackage(file, size)
	if err != nil {
		return err
	}
	had, err := s.downloads.List(ctx, farm.Principal{})
	if err != nil || slices.ContainsFunc(had, made.Replaces) {
		return err
	}
	removed, err := s.wasRemoved(file, size)
	if err != nil || removed {
		return err
	}
	obj, err := s.downloads.files.PutBlob(ctx, file, files.Limits{Size: size, Max: MaxFile})
	if err != nil {
		return files.ReceiveError("package", err)
	}
	made.File = farm.FileRef{SHA256: obj.SHA256, Name: name}
	_, err = s.downloads.add(ctx, made, s.dir)
	return err
}

// wasRemoved reads a package, and goes back to its beginning.
func (s *Shipped) wasRemoved(file *os.File, size int64) (removed bool, err error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(file, size)); err != nil {
		return false, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	err = s.downloads.state.View(func(tx *raftstore.Tx) (err error) {
		removed, err = tx.DownloadRemoved(hex.EncodeToString(sum.Sum(nil)))
		return err
	})
	return removed, err
}
