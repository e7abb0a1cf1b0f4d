package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/coordinator/backup"
	"overcrank/coordinator/cluster"
	"overcrank/coordinator/farmkeys"
	"overcrank/coordinator/files"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/raftstore"
)

// Restoring says what a backup is made into.
type Restoring struct {
	DataDir    string            // of the coordinator that begins with it: missing or empty
	Passphrase farm.Confidential // that the keys are sealed with
	KeysFrom   string            // folder with the farm's key files, for a backup without them; "" means none
}

// ErrFolderInUse says that a data folder is not for a new farm.
var ErrFolderInUse = errors.New("the folder is not empty; a farm is restored into a new one")

// Restore makes the data folder of a farm of one node out of a backup. The folder appears when all of it has been read and found
// whole, or not at all; one that is there and empty, as that of a disk which was just mounted, is filled then. missing are the names of the
// key files that have to be put into it before a coordinator starts on it.
func Restore(ctx context.Context, r io.Reader, to Restoring) (m backup.Manifest, missing []string, err error) {
	target, err := filepath.Abs(to.DataDir)
	if err != nil {
		return m, nil, fmt.Errorf("restoring into %s: %w", to.DataDir, err)
	}
	half, err := beside(target)
	if err != nil {
		return m, nil, fmt.Errorf("restoring into %s: %w", target, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(half)) }()
	s := &restored{dir: half, to: to}
	if m, err = backup.Read(while(ctx, r), to.Passphrase, s); err != nil {
		return m, nil, err
	}
	if missing, err = s.finish(); err == nil {
		err = appear(half, target)
	}
	if err != nil {
		return m, nil, fmt.Errorf("restoring into %s: %w", target, err)
	}
	return m, missing, nil
}

// beside makes the folder in which a data folder comes about, on the disk on which that is to be: within it when it is there. It removes what
// a restoration has left that was killed.
func beside(target string) (half string, err error) {
	within, prefix := target, heldFolders
	there, err := os.ReadDir(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		within, prefix = filepath.Dir(target), "."+filepath.Base(target)+"-"+heldFolders
		err = os.MkdirAll(within, 0o700)
	case slices.ContainsFunc(there, func(e fs.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), heldFolders) && e.Name() != rescueFolder
	}):
		err = ErrFolderInUse
	}
	if err != nil {
		return "", err
	}
	if err := clearHeld(within, prefix); err != nil {
		return "", err
	}
	return os.MkdirTemp(within, prefix+"*")
}

// rescueFolder is in every new file system of the kind ext4.
const rescueFolder = "lost+found"

// appear lets a data folder that is ready be there. Into one that is there the state goes first and the farm's key last, without which no
// coordinator starts on it: so there is no half of a farm either.
func appear(half, target string) error {
	if filepath.Dir(half) != target {
		if err := os.Rename(half, target); err != nil {
			return err
		}
		return durable.SyncFolder(filepath.Dir(target))
	}
	entries, err := os.ReadDir(half)
	if err != nil {
		return err
	}
	place := map[string]int{stateFolder: -1, farmkeys.FarmFile: 1}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(place[a.Name()], place[b.Name()]) })
	for _, e := range entries {
		if err := os.Rename(filepath.Join(half, e.Name()), filepath.Join(target, e.Name())); err != nil {
			return err
		}
	}
	return errors.Join(durable.KeepOwner(target), durable.SyncFolder(target))
}

// restored is a data folder in the making.
type restored struct {
	dir      string
	to       Restoring
	manifest backup.Manifest
}

var _ backup.Sink = (*restored)(nil)

func (s *restored) Begin(m backup.Manifest) error {
	s.manifest = m
	if m.Keys && s.to.Passphrase.Reveal() == "" && s.to.KeysFrom == "" {
		return backup.ErrNoPassphrase
	}
	if s.to.KeysFrom == "" {
		return nil
	}
	given, err := readKeyFiles(s.to.KeysFrom)
	if err == nil {
		err = s.keep(given)
	}
	return err
}

func (s *restored) Keys(sealed map[string][]byte) error {
	if s.to.KeysFrom != "" {
		return nil
	}
	return s.keep(sealed)
}

// keep writes key files, which have to be those of the farm that was backed up.
func (s *restored) keep(contents map[string][]byte) error {
	for name, content := range contents {
		if !slices.Contains(append(farmkeys.Files(), AdminTokenFile), name) {
			continue // of a later release
		}
		if err := cluster.KeepKeyFile(s.dir, name, content); err != nil {
			return fmt.Errorf("keeping the farm's keys: %w", err)
		}
	}
	if len(contents[farmkeys.FarmFile]) == 0 {
		return nil
	}
	k, err := farmkeys.Load(s.dir)
	if err == nil && k.Farm() != s.manifest.Farm {
		err = fmt.Errorf("the keys are those of the farm %s, and the backup is of the farm %s", k.Farm(), s.manifest.Farm)
	}
	return err
}

func (s *restored) State(_ int64, r io.Reader) error {
	return raftstore.Restore(filepath.Join(s.dir, stateFolder), r)
}

func (s *restored) File(key string, _ int64, r io.Reader) error {
	if err := files.Check(key); err != nil {
		return fmt.Errorf("restoring a file: %w", err)
	}
	path := filepath.Join(s.dir, filesFolder, filepath.FromSlash(key))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("restoring a file: %w", err)
	}
	return durable.Write(path, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// finish tells which key files are still missing.
func (s *restored) finish() (missing []string, err error) {
	for _, name := range farmkeys.Files() {
		there, err := durable.Exists(filepath.Join(s.dir, name))
		if err != nil {
			return nil, err
		}
		// A farm that never kept a secret has no key for them, and the authority's certificate is made again from its key.
		if !there && !s.manifest.Keys && s.to.KeysFrom == "" {
			missing = append(missing, name)
		}
	}
	if err := cluster.BeginEra(s.dir); err != nil {
		return nil, err
	}
	return missing, durable.SyncFolder(s.dir)
}

// while reads until ctx ends.
func while(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
