//go:build faults

package node

import (
	"context"
	"log/slog"
	"os"

	"overcrank/faults"
)

// faultsVariable is the environment variable with the path of a file of faults. The file may appear and change at any time.
const faultsVariable = "OVERCRANK_FAULTS"

// machine follows the file of faults until ctx ends.
func machine(ctx context.Context, logger *slog.Logger) machineFaults {
	path := os.Getenv(faultsVariable)
	if path == "" {
		return machineFaults{}
	}
	logger.Warn("this is a test build: a file says how the machine fails", "file", path)
	m := faults.NewMachine()
	go m.Follow(ctx, path, logger) // ends with the process
	return machineFaults{now: m.Now, beforeSync: m.BeforeSync}
}
