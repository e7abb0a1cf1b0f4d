package remote

import (
	"context"
	"time"

	"overcrank/cmd/overcrank/exit"
	"overcrank/interval"
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

// Until looks at what a command waits for until look says that it is done, or fails. The first wait between two looks is soon, each later one
// is half as long again, up to every. When ctx ends, the error names resume, the command with which to wait on.
func Until(ctx context.Context, soon, every time.Duration, resume string, look func() (done bool, err error)) error {
	for pause := soon; ; pause = min(pause*3/2, every) {
		done, err := look()
		switch {
		case done && err == nil:
			return nil
		case ctx.Err() != nil:
			return exit.Stopped(ctx, resume)
		case err != nil:
			return err
		}
		if interval.Wait(ctx, pause) != nil {
			return exit.Stopped(ctx, resume)
		}
	}
}
