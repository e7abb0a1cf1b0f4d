package node

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"overcrank/durable"
	"overcrank/farm"
)

// openAgain and openAgainMost are the pauses between two tries to open a farm.
const (
	openAgain     = 500 * time.Millisecond
	openAgainMost = 10 * time.Second
)

// errDeserted is the error of a coordinator that had not been opened when its terminal was closed.
var errDeserted = errors.New("the terminal is gone in which it ran")

// openPatiently opens a coordinator. As long as a cause that may pass by itself keeps it from that, such as a disk that is full, it
// tries again, and callers are told the reason. SIGHUP has it try at once, with the settings as they are then.
func (n *node) openPatiently(ctx context.Context) error {
	var tried []string // settings that were changed since before
	before, wait := n.settings, openAgain
	for {
		err := n.open(ctx, n.settings.flags)
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case mayPass(err):
		case len(tried) > 0:
			n.logger.Error("the settings stay as they were: with the new ones the farm cannot be opened", "settings", strings.Join(tried, ", "), "error", err)
			n.settings, tried = before, nil
			continue
		default:
			return err
		}
		err = fmt.Errorf("the farm in %s cannot be opened: %w; it is tried again until it can", n.settings.flags.DataDir, err)
		n.front.Despair(waitsFor(err))
		n.logger.Error("this coordinator serves nothing yet", "reason", err, "again in", wait)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-n.hangUp:
			next, changed, anew := n.readAgain()
			if n.deserted {
				return errDeserted
			}
			if anew {
				n.logger.Info("it is tried with new settings", "settings", strings.Join(changed, ", "))
				before, tried = n.settings, changed
			}
			n.settings, wait = next, openAgain
		case <-time.After(wait):
			wait = min(2*wait, openAgainMost)
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
