//go:build standin

package aerender

import "path/filepath"

// standInCommand starts the AfterFX that lies beside an aerender.
func standInCommand(aerender, script string) []string {
	return []string{filepath.Join(filepath.Dir(aerender), "AfterFX"), "-r", script}
}
