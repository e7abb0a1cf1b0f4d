package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/release"
)

// prune removes the versions that the state does not need.
func prune(folder string, st State) error {
	var errs []error
	remove := func(path string) { errs = append(errs, os.RemoveAll(path)) }
	versions := filepath.Join(folder, versionsFolder)
	entries, err := os.ReadDir(versions)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), incomingPrefix) && !slices.Contains(st.kept(), e.Name()) {
			remove(filepath.Join(versions, e.Name()))
		}
	}
	return errors.Join(errs...)
}

// clean removes what interrupted fetches and writes left behind. It must not run beside an agent, which may be fetching.
func clean(folder string) error {
	var errs []error
	for _, pattern := range []string{filepath.Join(folder, ".part-*"), filepath.Join(folder, versionsFolder, incomingPrefix+"*")} {
		left, err := filepath.Glob(pattern)
		errs = append(errs, err)
		for _, path := range left {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	return errors.Join(errs...)
}

// present lists the versions below a folder that have a program, the newest first.
func present(folder string) []string {
	entries, err := os.ReadDir(filepath.Join(folder, versionsFolder))
	if err != nil {
		return nil
	}
	var versions []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && starts(programOf(folder, e.Name())) {
			versions = append(versions, e.Name())
		}
	}
	slices.SortStableFunc(versions, func(a, b string) int {
		order, _ := compare(b, a)
		return order
	})
	return versions
}

// Installed is the version that an installer put beside the launcher in the folder programs, "" when there is none.
func Installed(programs string) string {
	if versions := present(programs); len(versions) > 0 {
		return versions[0]
	}
	return ""
}

// starts tells whether program is a file that can be tried.
func starts(program string) bool {
	info, err := os.Stat(program)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// Choice is a version that can be started.
type Choice struct {
	Version string
	Program string // its path
	Trial   bool
}

// installedChoice is the installed version.
func installedChoice(programs string) (Choice, error) {
	version := Installed(programs)
	if version == "" {
		return Choice{}, fmt.Errorf("there is no %s in %s: install the package of the agent again", Program(), filepath.Join(programs, versionsFolder))
	}
	return Choice{Version: version, Program: programOf(programs, version)}, nil
}

// choices lists the versions that can be started, in the order in which they are tried: the pending one first.
func choices(folder, programs string, st State) []Choice {
	var all []Choice
	add := func(in, version string, trial bool) {
		known := slices.ContainsFunc(all, func(c Choice) bool { return c.Program == programOf(in, version) })
		if program := programOf(in, version); !known && starts(program) {
			all = append(all, Choice{Version: version, Program: program, Trial: trial})
		}
	}
	if st.Pending != nil {
		add(folder, st.Pending.Version, true)
	}
	if st.Current != nil {
		add(folder, st.Current.Version, false)
	} else if installed := Installed(programs); installed != "" {
		add(programs, installed, false)
	}
	if st.Previous != nil {
		add(folder, st.Previous.Version, false)
	}
	for _, in := range []string{programs, folder} {
		for _, version := range present(in) {
			if in != folder || release.ValidVersion(version) && !slices.Contains(st.Bad, version) {
				add(in, version, false)
			}
		}
	}
	return all
}

// noteInstalled notes which version is installed. A version that was installed since the last call replaces the running update, unless the update is known to be
// newer: an administrator who installs a package means it. A pending update that is newer stays pending.
func (st *State) noteInstalled(installed string) {
	if installed == st.Installed || installed == "" {
		return
	}
	first := st.Installed == ""
	if st.Installed = installed; first {
		return
	}
	older := func(version string) bool {
		order, known := compare(installed, version)
		return known && order < 0
	}
	if st.Current != nil && !older(st.Current.Version) {
		st.Previous, st.Current = st.Current, nil
	}
	if st.Pending != nil && !older(st.Pending.Version) {
		st.Pending = nil
	}
}
