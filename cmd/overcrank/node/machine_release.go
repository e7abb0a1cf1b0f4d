//go:build !faults

package node

import (
	"context"
	"log/slog"
)

// machine is the machine that this program runs on.
func machine(context.Context, *slog.Logger) underneath { return underneath{} }
