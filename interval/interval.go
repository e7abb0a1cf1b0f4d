// Package interval waits for a time to pass, or for a context to end.
package interval

import (
	"context"
	"time"
)

// Wait waits for d. If ctx ends first, it returns the cause.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Every calls do at intervals of d until ctx ends. A call that takes longer than d is not made up for.
func Every(ctx context.Context, d time.Duration, do func()) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}
