package workstation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"overcrank/launcher"
)

// place is a folder or file that the agent's service follows.
type place struct {
	path   string
	levels int  // of folders in it that are looked at
	ours   bool // it may belong to the service's account
}

// workFolder is where the agent of a data folder works when people run After Effects for it: beside the data folder.
func workFolder(dataDir string) string { return dataDir + "-work" }

// places are what other accounts could have made before the first installation, above all on Windows, where everybody may make C:\ProgramData\Overcrank.
func (c Answers) places(settings, dataDir string) []place {
	return append(ownFolder(settings), []place{
		{path: settings},
		{path: rollbackFile(settings)},
		{path: c.LauncherState, levels: 3, ours: true},
		{path: dataDir, levels: 1, ours: true},
		{path: workFolder(dataDir), ours: true},
	}...)
}

// clearPlaces sets aside what another account could have changed, before a first installation uses it, and says so. It fails where setting aside would help
// nothing: where a folder above belongs to others, and where the program itself lies.
func (c Answers) clearPlaces(settings, dataDir string, now time.Time) (remarks []string, err error) {
	account := serviceAccount(c.LauncherState)
	for _, p := range c.places(settings, dataDir) {
		var accounts []string
		if p.ours {
			accounts = account
		}
		err := launcher.TrustedTree(p.path, p.levels, accounts...)
		if found := (*launcher.UntrustedError)(nil); errors.As(err, &found) && within(found.Path, p.path) {
			aside, renamed := launcher.SetAside(p.path, now)
			if renamed != nil {
				return remarks, fmt.Errorf("%w; %w", err, renamed)
			}
			remarks = append(remarks, fmt.Sprintf("%v. It is set aside as %s, and not used", err, aside))
			err = launcher.TrustedTree(p.path, p.levels, accounts...)
		}
		if err != nil {
			return remarks, unsafePlace(p.path, err)
		}
	}
	if programs := installedPrograms(); programs != "" {
		if err := launcher.TrustedTree(programs, 3); err != nil {
			return remarks, unsafePlace(programs, err)
		}
	}
	return remarks, nil
}

// unsafePlace tells the administrator what to do.
func unsafePlace(path string, err error) error {
	if errors.As(err, new(*launcher.UntrustedError)) {
		return fmt.Errorf("%s cannot be used: %w; remove it, or choose a folder that only administrators can change", path, err)
	}
	return fmt.Errorf("looking who can change %s: %w", path, err)
}

// within tells whether path is folder or lies in it.
func within(path, folder string) bool {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	target, err := filepath.EvalSymlinks(folder)
	if err != nil {
		target = folder
	}
	for _, f := range []string{folder, target} {
		if path == f || strings.HasPrefix(path, f+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// installedPrograms is the folder of the launcher when this program lies in a version below it; otherwise "".
func installedPrograms() string {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	versions := filepath.Dir(filepath.Dir(self))
	if err != nil || filepath.Base(versions) != "versions" {
		return ""
	}
	return filepath.Dir(versions)
}

// makeDataFolder makes a data folder, if there is none, so that only the service's account can look into it. An empty one is given to that account, too: who
// names a folder has often just made it.
func (c Answers) makeDataFolder(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return nil
	}
	return makePrivate(path, c.LauncherState)
}
