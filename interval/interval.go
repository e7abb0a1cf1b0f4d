// Package interval waits for times to pass, no longer than a context lasts.
package interval

import (
	"context"
	"time"
)

// Wait waits for d. When ctx ends before, it returns why ctx ended.
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

// Every does something at regular times until ctx ends. What takes longer than d is not done twice behind it.
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
