//go:build standin

package inventory

import (
	"os"
	"path/filepath"
)

// standIns are the folders that a variable names, divided as those of PATH are.
func standIns() []string { return filepath.SplitList(os.Getenv("OVERCRANK_STANDIN")) }
