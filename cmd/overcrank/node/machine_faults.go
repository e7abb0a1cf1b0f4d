//go:build faults

package node

import (
	"context"
	"log/slog"
	"os"

	"overcrank/faults"
)

// faultsVariable names the file with the faults of the machine, which may come and change at any time.
const faultsVariable = "OVERCRANK_FAULTS"

// machine is the machine that this program runs on, with the faults of a file until ctx ends.
func machine(ctx context.Context, logger *slog.Logger) underneath {
	path := os.Getenv(faultsVariable)
	if path == "" {
		return underneath{}
	}
	logger.Warn("this is a test build: the machine has the faults that a file says", "file", path)
	m := faults.NewMachine()
	go m.Follow(ctx, path, logger) // ends with the process
	return underneath{now: m.Now, beforeSync: m.BeforeSync}
}
