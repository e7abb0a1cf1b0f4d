package coordinator

import (
	"context"
	"time"
)

// every does something at regular times until ctx ends. What takes longer than an interval is not done twice behind it.
func every(ctx context.Context, interval time.Duration, do func()) {
	tick := time.NewTicker(interval)
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
