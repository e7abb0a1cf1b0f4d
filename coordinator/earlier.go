package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"overcrank/coordinator/farmkeys"
	"overcrank/durable"
	"overcrank/raftstore"
)

// earlierFolder is the folder of the data folder in which the state lies as the first release left it.
const earlierFolder = "state-" + FirstRelease

// FirstRelease is the release that a farm can be taken back to with what was kept aside.
const FirstRelease = raftstore.FirstRelease

// setEarlierAside keeps what a farm of the first release is, before anything of it is changed: that release cannot read what later
// ones write, and Downgrade goes back to it.
func setEarlierAside(dir string, minFree int64, log *slog.Logger) error {
	aside, state := filepath.Join(dir, earlierFolder), filepath.Join(dir, stateFolder)
	kept, err := durable.Exists(aside)
	if err != nil {
		return err
	}
	earlier, err := raftstore.OfFirstRelease(state)
	if err != nil {
		return err
	}
	back := "stop the farm and run: overcrank downgrade --data-dir " + dir + " --to " + raftstore.FirstRelease
	switch {
	case kept && !earlier:
		log.Info("the farm's state from before its upgrade is still kept; remove the folder when nobody wants to go back", "folder", aside, "to go back", back)
		return nil
	case kept || !earlier:
		return nil
	}
	log.Info("this farm was run by release "+raftstore.FirstRelease+"; its state is kept aside before it is upgraded", "folder", aside)
	if err := raftstore.SetAside(state, aside, minFree); err != nil {
		return err
	}
	token, err := os.ReadFile(filepath.Join(dir, farmkeys.JoinTokenFile))
	if err == nil {
		err = durable.WriteFile(filepath.Join(aside, farmkeys.JoinTokenFile), token, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keeping the join token of %s aside: %w", raftstore.FirstRelease, err)
	}
	log.Info("the farm's state of release "+raftstore.FirstRelease+" is kept", "folder", aside, "to go back", back)
	return nil
}

// ErrNoEarlier says that there is no state to go back to.
var ErrNoEarlier = errors.New("no state of an earlier release is kept here")

// Downgrade gives a data folder, on which no coordinator runs, the state that it had when it was upgraded from release
// FirstRelease. What was done since lies in the folder later, which it names. Cut off, it is done again from the start.
func Downgrade(ctx context.Context, dir string) (later string, err error) {
	aside, state := filepath.Join(dir, earlierFolder), filepath.Join(dir, stateFolder)
	if kept, err := raftstore.HasState(aside); err != nil {
		return "", err
	} else if !kept {
		return "", fmt.Errorf("%w: there is none in %s", ErrNoEarlier, aside)
	}
	if err := errors.Join(ctx.Err(), raftstore.InUse(state)); err != nil {
		return "", err
	}
	if token, err := os.ReadFile(filepath.Join(aside, farmkeys.JoinTokenFile)); err == nil {
		if err := durable.WriteFile(filepath.Join(dir, farmkeys.JoinTokenFile), token, 0o600); err != nil {
			return "", err
		}
	}
	for n := 1; later == ""; n++ {
		name := filepath.Join(dir, fmt.Sprintf("state-later-%d", n))
		if there, err := durable.Exists(name); err != nil {
			return "", err
		} else if !there {
			later = name
		}
	}
	if err := os.Rename(state, later); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Rename(aside, state); err != nil {
		return "", err
	}
	if err := os.Remove(filepath.Join(state, farmkeys.JoinTokenFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return later, errors.Join(durable.KeepOwner(dir), durable.SyncFolder(dir))
}
