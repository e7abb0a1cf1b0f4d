package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"overcrank/coordinator/cluster"
	"overcrank/coordinator/farmkeys"
	"overcrank/coordinator/storage"
	"overcrank/durable"
	"overcrank/raftstore"
)

// AdminTokenFile is the file of the data folder with the token that the program makes for the farm's first administrator.
const AdminTokenFile = "admin.token"

// Folders of the data folder.
const (
	stateFolder = "state"
	filesFolder = storage.Folder
	// searchFolder holds what this node makes of its state by itself: it may be deleted while the node is stopped.
	searchFolder = "search"
	daysFile     = "days.gz" // what machines did in the last 24 hours; it may be deleted too
)

// checkFolder refuses a data folder from which something is gone that cannot be made again.
func checkFolder(dir string) error {
	key, err := durable.Exists(filepath.Join(dir, farmkeys.FarmFile))
	if err != nil {
		return err
	}
	state, err := hasState(filepath.Join(dir, stateFolder))
	if err != nil {
		return err
	}
	if state && !key {
		return fmt.Errorf("%s is gone though the farm's state is there: put the file back from a backup; if there is none, write 64 random hexadecimal digits into it, and what was encrypted or signed with the old one is lost",
			filepath.Join(dir, farmkeys.FarmFile))
	}
	if state || !key {
		return nil
	}
	// A farm that was stopped in its very first moment has a key and no state yet, but no files either.
	kept, err := os.ReadDir(filepath.Join(dir, filesFolder, "blobs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(kept) > 0 {
		return fmt.Errorf("%s is gone though the farm's files are there: put the folder back from a backup, or move %s away to begin an empty farm",
			filepath.Join(dir, stateFolder), dir)
	}
	return nil
}

// hasState tells whether a folder of the state holds anything but the node's id.
func hasState(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), durable.SumSuffix); name != raftstore.NodeIDFile {
			return true, nil
		}
	}
	return false, err
}

// path is that of a file of the data folder.
func (c *Coordinator) path(name string) string { return filepath.Join(c.cfg.DataDir, name) }

// NodeID is the id of the coordinator of a data folder, made when it has none.
func NodeID(dir string) (string, error) {
	state := filepath.Join(dir, stateFolder)
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", fmt.Errorf("making the data folder: %w", err)
	}
	return raftstore.NodeID(state)
}

// LookAtMembers reads who the members of a data folder's farm are, and how far its log goes. No coordinator may run on it.
func LookAtMembers(dir string) (raftstore.Remains, error) {
	return raftstore.Look(filepath.Join(dir, stateFolder))
}

// Recover makes the coordinator of a data folder the only one of its farm, see raftstore.Recover, in an era of its own. No
// coordinator may run on the folder.
func Recover(_ context.Context, dir string) error {
	if err := cluster.CheckLeft(dir); err != nil {
		return err
	}
	if err := cluster.BeginEra(dir); err != nil { // first: until it is alone it may be heard by nobody
		return err
	}
	return errors.Join(raftstore.Recover(filepath.Join(dir, stateFolder)), durable.KeepOwner(dir))
}
