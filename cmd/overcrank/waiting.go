package main

import (
	"context"
	"fmt"
	"time"

	"overcrank/durable"
	"overcrank/farm"
)

// openAgain and openAgainMost are the pauses between two tries to open a farm.
const (
	openAgain     = 500 * time.Millisecond
	openAgainMost = 10 * time.Second
)

// openPatiently opens a coordinator. As long as a cause that may pass by itself keeps it from that, such as a disk that is full, it
// tries again, and callers are told the reason.
func (n *node) openPatiently(ctx context.Context, f nodeFlags) error {
	for wait := openAgain; ; wait = min(2*wait, openAgainMost) {
		err := n.open(ctx, f)
		if err == nil || !mayPass(err) || ctx.Err() != nil {
			return err
		}
		err = fmt.Errorf("the farm in %s cannot be opened: %w; it is tried again until it can", f.DataDir, err)
		n.front.Despair(waitsFor(err))
		n.logger.Error("this coordinator serves nothing yet", "reason", err, "again in", wait)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// mayPass tells causes that may pass while the process waits from those that need another start: a damaged file, a folder that is
// another farm's, a port that is taken.
func mayPass(err error) bool {
	return durable.Blocked(err) || farm.CodeOf(err) == farm.CodeUnavailable
}

// beingOpened is what a node says of itself while its farm is opened.
func beingOpened(dataDir string) func() []farm.Check {
	return waitsFor(fmt.Errorf("the farm in %s is being opened", dataDir))
}

// waitsFor is what a node says of itself that serves nothing for a reason.
func waitsFor(reason error) func() []farm.Check {
	return func() []farm.Check {
		return []farm.Check{farm.Failed("start", farm.Errorf(farm.CodeUnavailable, "%w", reason))}
	}
}
