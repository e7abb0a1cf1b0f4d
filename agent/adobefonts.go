package agent

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcrank/farm/names"
)

// adobeFonts is the folder that Adobe's programs read fonts from besides the system's. Fonts of jobs are put there and
// taken away again, so that the artist's other programs never see them.
type adobeFonts struct {
	folder string // "" on systems without After Effects
	prefix string // of the names of this agent's files
}

// newAdobeFonts tells this agent's files from those of another agent on the machine by its data folder.
func newAdobeFonts(goos, dataDir string) adobeFonts {
	return adobeFonts{folder: adobeFontFolder(goos), prefix: fmt.Sprintf("overcrank-%.4x-", sha256.Sum256([]byte(dataDir)))}
}

func adobeFontFolder(goos string) string {
	switch goos {
	case "windows":
		return `C:\Program Files\Common Files\Adobe\Fonts`
	case "darwin":
		return "/Library/Application Support/Adobe/Fonts"
	}
	return ""
}

// errNoAdobeFonts says that this system has no such folder.
var errNoAdobeFonts = errors.New("this system has no folder for Adobe's fonts")

// install copies the font at path into the folder and gives the copy's path.
func (f adobeFonts) install(path, name string) (string, error) {
	if f.folder == "" {
		return "", errNoAdobeFonts
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading a font: %w", err)
	}
	copied := filepath.Join(f.folder, f.prefix+name)
	if err := os.WriteFile(copied, b, 0o644); err != nil {
		if gone := os.Remove(copied); gone != nil && !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return "", fmt.Errorf("installing a font: %w", err)
	}
	return copied, nil
}

// clear removes what this agent left behind when it was killed.
func (f adobeFonts) clear() error {
	if f.folder == "" {
		return nil
	}
	entries, err := os.ReadDir(f.folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), f.prefix) {
			err = errors.Join(err, os.Remove(filepath.Join(f.folder, e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("removing fonts of earlier jobs: %w", err)
	}
	return nil
}

// installFonts puts the job's fonts where only After Effects looks. remove takes them away.
func (t *attempt) installFonts() (remove func()) {
	var installed []string
	for _, font := range t.lease.Fonts {
		name := names.Element(font.Name, "font.ttf")
		path, err := t.a.fonts.install(filepath.Join(t.dir, "fonts", name), folderName(t.lease.Attempt)+"-"+name)
		if err != nil {
			t.log.Warn("a font is not installed", "font", font.Name, "error", err)
			t.warn(fmt.Sprintf("Font '%s' could not be installed for After Effects on machine '%s'; it may be substituted", font.Name, t.a.cfg.Name))
			continue
		}
		installed = append(installed, path)
	}
	return func() {
		for _, path := range installed {
			if err := os.Remove(path); err != nil {
				t.log.Warn("a font stays installed until the next start", "font", path, "error", err)
			}
		}
	}
}
