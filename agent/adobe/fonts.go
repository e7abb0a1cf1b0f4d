package adobe

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Fonts is the folder that Adobe's programs read fonts from besides the system's. Fonts of jobs are put there and
// taken away again, so that the artist's other programs never see them.
type Fonts struct {
	Folder string // "" on systems without After Effects
	Prefix string // of the names of this agent's files
}

// NewFonts is the folder of this system. The agent's data folder tells its files there from those of another agent.
func NewFonts(goos, dataDir string) Fonts {
	return Fonts{Folder: FontFolder(goos), Prefix: fmt.Sprintf("overcrank-%.4x-", sha256.Sum256([]byte(dataDir)))}
}

// FontFolder is where a system's Adobe programs read fonts from; "" on systems without After Effects.
func FontFolder(goos string) string {
	switch goos {
	case "windows":
		return `C:\Program Files\Common Files\Adobe\Fonts`
	case "darwin":
		return "/Library/Application Support/Adobe/Fonts"
	}
	return ""
}

// errNoFolder says that this system has no such folder.
var errNoFolder = errors.New("this system has no folder for Adobe's fonts")

// Install copies the font at path into the folder under a name of this agent's, and gives the path of the copy.
func (f Fonts) Install(path, name string) (string, error) {
	if f.Folder == "" {
		return "", errNoFolder
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading a font: %w", err)
	}
	copied := filepath.Join(f.Folder, f.Prefix+name)
	if err := os.WriteFile(copied, b, 0o644); err != nil {
		if gone := os.Remove(copied); gone != nil && !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return "", fmt.Errorf("installing a font: %w", err)
	}
	return copied, nil
}

// Clear removes what this agent left there when it was killed.
func (f Fonts) Clear() error {
	if f.Folder == "" {
		return nil
	}
	entries, err := os.ReadDir(f.Folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), f.Prefix) {
			err = errors.Join(err, os.Remove(filepath.Join(f.Folder, e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("removing fonts of earlier jobs: %w", err)
	}
	return nil
}
