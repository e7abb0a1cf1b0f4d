//go:build !faults

package node

import (
	"context"
	"log/slog"
)

// machine is the machine without faults.
func machine(context.Context, *slog.Logger) machineFaults { return machineFaults{} }
