package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/raftstore"
)

// StorageMove is where the files of a farm of one coordinator go.
type StorageMove struct {
	DataDir     string // of the coordinator
	Storage     string // as in Config
	Credentials string // file with the credentials of a bucket; "" for those of the environment
	MinFree     int64  // bytes that must stay free on a shared folder
	Told        func(files.Copied)
}

// StorageMoved is what a move came to.
type StorageMoved struct {
	files.Copied
	Where string // the storage, for people
	// Running says that the coordinator runs and goes on to write where it did: the move has to be repeated once it is stopped, for what
	// came meanwhile.
	Running bool
}

// MoveStorage copies the files of a farm from the data folder of its coordinator to shared storage. While the coordinator runs that is a
// copy of what there is; once it is stopped the files have moved, and it starts with the new storage only. What was there stays where it
// was. A move that was broken off is repeated, and goes on.
func MoveStorage(ctx context.Context, m StorageMove) (moved StorageMoved, err error) {
	if there, err := exists(filepath.Join(m.DataDir, farmKeyFile)); err != nil || !there {
		return moved, errors.Join(err, fmt.Errorf("%s is no data folder of a coordinator", m.DataDir))
	}
	keys, err := loadKeys(m.DataDir)
	if err != nil {
		return moved, err
	}
	memory, err := recallStorage(m.DataDir)
	if err != nil {
		return moved, err
	}
	if memory.Where != "" {
		return moved, farm.Errorf(farm.CodeConflict, "this farm's files are in %s already", memory.Where)
	}
	to, err := OpenSharedStorage(Config{DataDir: m.DataDir, Storage: m.Storage, StorageCredentials: m.Credentials, MinFree: m.MinFree}, memory.Node)
	if err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	moved.Where = to.Where()
	if err := mayMoveTo(ctx, to, keys.cluster()); err != nil {
		return moved, err
	}
	release, err := raftstore.Hold(filepath.Join(m.DataDir, stateFolder))
	if moved.Running = errors.Is(err, raftstore.ErrRunning); moved.Running {
		release, err = func() error { return nil }, nil
	}
	if err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(err, release()) }()

	from, err := files.ReadFolder(filepath.Join(m.DataDir, filesFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return moved, fmt.Errorf("%s has no files yet: start the coordinator with --storage", m.DataDir)
	}
	if err != nil {
		return moved, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	copying := &files.Copying{From: from, To: to, Below: fileRoots(), Told: m.Told}
	if moved.Copied, err = copying.Run(ctx); err != nil || moved.Running {
		return moved, err
	}
	if err := copying.Prune(ctx); err != nil {
		return moved, fmt.Errorf("dropping what the farm has dropped since the first copy: %w", err)
	}
	if err := to.PutNote(ctx, farmNote, []byte(keys.cluster()+"\n")); err != nil {
		return moved, err
	}
	memory.Where = to.Where()
	return moved, rememberStorage(m.DataDir, memory)
}

// mayMoveTo makes sure that nobody's files are in a storage.
func mayMoveTo(ctx context.Context, to files.Shared, own string) error {
	if err := to.Reach(ctx); err != nil {
		return err
	}
	text, err := to.Note(ctx, farmNote)
	switch {
	case errors.Is(err, files.ErrNotFound):
		return nil
	case err != nil:
		return err
	case strings.TrimSpace(string(text)) != own:
		return farm.Errorf(farm.CodeConflict, "%s holds the files of another farm: name another folder, or another prefix of the bucket", to.Where())
	}
	return nil
}
