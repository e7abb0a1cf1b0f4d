package remote

import (
	"context"
	"time"

	"overcrank/cmd/overcrank/exit"
)

// Waiting are the flags of commands that begin something long.
type Waiting struct {
	Wait    bool          `help:"Wait for the end, and show progress."`
	Timeout time.Duration `help:"With --wait: how long at most, such as 90s or 2h; the work goes on." placeholder:"DURATION"`
}

// Bound gives a context that ends when --timeout has passed.
func (w Waiting) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return Limited(ctx, w.Timeout)
}

// Limited bounds a wait by --timeout; 0 is no bound.
func Limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, exit.ErrTimeout)
}
