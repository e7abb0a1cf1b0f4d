//go:build paced

package aerender

import (
	"context"
	"os"
	"time"
)

// The variables that say how long this build waits, besides what it does, when it starts and with each frame, such as 500ms: an
// engine that takes no processor, so that several machines can be played on one.
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
