//go:build paced

package aerender

import (
	"context"
	"os"
	"time"
)

// The environment variables for how long this build waits at its start and for each frame, such as 500ms. It simulates
// an engine that uses no processor time, so that one machine can play several.
const (
	paceStart = "OVERCRANK_PACE_START"
	paceFrame = "OVERCRANK_PACE_FRAME"
)

func pace(ctx context.Context, variable string) {
	wait, err := time.ParseDuration(os.Getenv(variable))
	if err != nil {
		return
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
	}
}
