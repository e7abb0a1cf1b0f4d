// Package installation puts the agent on a machine as the packages do, without a package, and takes it off again.
package installation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"overcrank/agent/identity"
	"overcrank/durable"
)

// Programs are what is installed.
type Programs struct {
	Launcher string // path; "" keeps the installed launcher
	Agent    string // path
	Version  string // of the agent: the name of its folder
}

// ErrAdministrator means that the person may not install programs.
var ErrAdministrator = errors.New("the agent is installed for the whole machine")

// Machine is where the agent is installed.
type Machine interface {
	// Allowed returns ErrAdministrator with the way out when this process may not install anything, or why the system is none that it can be installed on.
	Allowed() error
	// Packaged says how to go on when a package has installed the agent, "" when none has.
	Packaged(ctx context.Context) (string, error)
	// Installed tells whether the launcher is in its place.
	Installed() bool
	// Launcher is the path of the installed launcher.
	Launcher() string
	// Place puts programs, units and folders in place and tells whether anything changed. What runs is not started anew.
	Place(ctx context.Context, p Programs) (changed bool, err error)
	// Start starts the service; one that runs is started anew when again is set.
	Start(ctx context.Context, again bool) error
	// Stop stops the service, if there is one, which gives its work back.
	Stop(ctx context.Context) error
	// Remove stops the service and takes away what Place has put there. With purge, settings, identity, cache and logs go too. dataDir is the folder that
	// the settings name.
	Remove(ctx context.Context, purge bool, dataDir string) error
}

// runner runs a program of the system and returns what it says.
type runner func(ctx context.Context, program string, args ...string) (string, error)

// runProgram is the runner of a real machine.
func runProgram(ctx context.Context, program string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	said := strings.TrimSpace(string(out))
	if err != nil {
		return said, fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, said)
	}
	return said, nil
}

// put writes a file, unless it is there with this text and these permissions, and tells whether it wrote. Whatever was at the path is replaced, never
// followed.
func put(path string, text []byte, perm fs.FileMode) (bool, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && (info.Mode() == perm || runtime.GOOS == "windows") {
		if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, text) {
			return false, nil
		}
	}
	if err := durable.WriteFile(path, text, perm); err != nil {
		return false, err
	}
	return true, os.Chmod(path, perm) // whatever the umask of the administrator is
}

// putProgram copies a program to its place, unless it is there already.
func putProgram(from, to string) (bool, error) {
	if same(from, to) {
		return false, nil
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return false, fmt.Errorf("reading the program: %w", err)
	}
	return put(to, text, 0o755)
}

// same tells whether two paths are one file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// others removes the versions beside the launcher but for one.
func others(versions, keep string) error {
	entries, err := os.ReadDir(versions)
	if err != nil {
		return err
	}
	var all []error
	for _, e := range entries {
		if e.Name() != keep {
			all = append(all, os.RemoveAll(filepath.Join(versions, e.Name())))
		}
	}
	return errors.Join(all...)
}

// remove deletes files and folders with all that they hold.
func remove(paths ...string) error {
	var all []error
	for _, path := range paths {
		all = append(all, os.RemoveAll(path))
	}
	return errors.Join(all...)
}

// lockFile is what package agent locks in its data folder, and leaves there; the credential goes when the machine leaves its farm.
const lockFile = "lock"

// removeData deletes the data folder of an agent, and beside it the one in which people's After Effects works. A folder where no agent has worked may be any:
// a mistake in the settings must not delete somebody's files.
func removeData(folder string) error {
	for _, name := range []string{identity.CredentialFile, lockFile} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return remove(folder, folder+"-work")
		}
	}
	return nil
}

// removeEmpty deletes folders that hold nothing any more.
func removeEmpty(folders ...string) {
	for _, folder := range folders {
		_ = os.Remove(folder) // it fails where something is left that is not ours
	}
}

// steps carries out one after the other until one fails.
func steps(all ...func() error) error {
	for _, step := range all {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
