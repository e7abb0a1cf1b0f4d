package agent

import (
	"os"
	"path/filepath"
)

// Running tells whether an agent works in a data folder.
func Running(dataDir string) bool {
	if _, err := os.Stat(filepath.Join(dataDir, "lock")); err != nil {
		return false
	}
	release, err := lockFolder(dataDir)
	if err != nil {
		return true
	}
	_ = release() // it was ours for a moment only
	return false
}
