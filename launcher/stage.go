package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"aead.dev/minisign"

	"overcrank/durable"
	"overcrank/release"
)

// Why a release is not staged, besides the reasons of package release.
var (
	// ErrBad means that the version was rolled back on this machine before.
	ErrBad = errors.New("this version was rolled back on this machine")
	// ErrLauncher means that the release needs a newer launcher: the machine needs a new package.
	ErrLauncher = errors.New("this version needs a newer launcher: install the new package on this machine")
	// ErrRuns means that the version is already running.
	ErrRuns = errors.New("this version is already running")
)

// incomingPrefix begins the names of folders into which releases are fetched.
const incomingPrefix = ".incoming-"

// Incoming makes an empty folder to fetch a release into, on the file system where Stage renames it to its place. The launcher removes leftovers at its
// next start.
func (l Launch) Incoming() (string, error) {
	versions := filepath.Join(l.Folder, versionsFolder)
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(versions, incomingPrefix)
}

// Stage makes the release in incoming, a folder of Incoming, the pending version: the launcher starts it on trial when the agent ends with ExitUpdate, or at
// its own next start. Stage checks signatures, time, number and the program for this system. Staging the same release twice is no error. Stage moves or
// removes the folder; after an error the caller has to remove it.
func (l Launch) Stage(incoming string, roots []minisign.PublicKey, now time.Time) (*release.Release, error) {
	r, err := release.Open(incoming, roots, now)
	if err != nil {
		return nil, err
	}
	if err := l.launches(r); err != nil {
		return nil, err
	}
	if err := settle(incoming, r); err != nil {
		return nil, fmt.Errorf("staging %s: %w", r.Version, err)
	}
	st, err := change(l.Folder, func(st *State) error { return l.take(st, r, incoming) })
	if err != nil {
		return nil, fmt.Errorf("staging %s: %w", r.Version, err)
	}
	_ = prune(l.Folder, st) // the launcher tries again at its next start, and logs an error
	return r, nil
}

// Accepts tells whether Stage would take a release whose signatures were checked, before its files are fetched. The error is ErrBad, ErrLauncher, ErrRuns or
// release.ErrOlder, or says that the state cannot be read.
func (l Launch) Accepts(r *release.Release) error {
	if err := l.launches(r); err != nil {
		return err
	}
	st, err := Read(l.Folder)
	if err != nil {
		return err
	}
	return l.accepts(st, r)
}

// launches fails when the release needs a newer launcher.
func (l Launch) launches(r *release.Release) error {
	if r.MinLauncher > l.Launcher {
		return fmt.Errorf("%w (%s needs launcher version %d, this machine has %d)", ErrLauncher, r.Version, r.MinLauncher, l.Launcher)
	}
	return nil
}

// accepts tells whether the release may replace what the machine runs.
func (l Launch) accepts(st State, r *release.Release) error {
	switch {
	case r.Version == l.Version || st.Current != nil && st.Current.Version == r.Version && starts(programOf(l.Folder, r.Version)):
		return ErrRuns
	case slices.Contains(st.Bad, r.Version):
		return ErrBad
	}
	if err := r.Follows(st.Seen); err != nil {
		return err
	}
	if order, known := compare(r.Version, l.Version); known && order < 0 && r.DowngradeOf == 0 {
		return fmt.Errorf("%w: %s runs here", release.ErrOlder, l.Version)
	}
	return nil
}

// settle turns a fetched release into the folder of a version: it checks and renames the program, makes it executable, and syncs everything to disk.
func settle(incoming string, r *release.Release) error {
	file, err := r.File(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return err
	}
	named, program := filepath.Join(incoming, file.Name), filepath.Join(incoming, Program())
	if err := file.CheckFile(named); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing", release.ErrTruncated, file.Name)
	} else if err != nil {
		return err
	}
	if named != program {
		if err := patiently(func() error { return os.Rename(named, program) }); err != nil {
			return err
		}
	}
	if err := os.Chmod(program, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(incoming, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(incoming)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := syncFile(filepath.Join(incoming, e.Name())); err != nil {
			return err
		}
	}
	return durable.SyncFolder(incoming)
}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// take moves a settled release to its place and makes it the pending version.
func (l Launch) take(st *State, r *release.Release, incoming string) error {
	if err := l.accepts(*st, r); err != nil {
		return err
	}
	if st.Pending != nil && st.Pending.Version == r.Version {
		return os.RemoveAll(incoming) // it was staged before
	}
	place := filepath.Join(l.Folder, versionsFolder, r.Version)
	if err := os.RemoveAll(place); err != nil { // left by a kill between the steps below
		return err
	}
	if err := patiently(func() error { return os.Rename(incoming, place) }); err != nil {
		return err
	}
	if err := durable.SyncFolder(filepath.Dir(place)); err != nil {
		return err
	}
	if st.Current != nil && st.Current.Version == r.Version { // a virus scanner may have taken its program away
		st.Current = st.Previous
	}
	st.Previous = nil // two versions are kept: this one, and the running one, to which a trial goes back
	st.Pending = &Pending{Kept: Kept{Version: r.Version, Number: r.Number}}
	st.Seen = st.Seen.After(r)
	return nil
}
