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

// The pause between two tries to open a farm: it doubles from the first to the last of these.
const (
	minRetryPause = 500 * time.Millisecond
	maxRetryPause = 10 * time.Second
)

// errTerminalGone is the error of a node whose terminal was closed before its coordinator was open.
var errTerminalGone = errors.New("the terminal in which it ran was closed")

// openRetrying opens a coordinator. After errors that may pass by themselves, such as a full disk, it tries again, and answers requests with
// the reason meanwhile. SIGHUP makes it read the settings again and try at once.
func (n *node) openRetrying(ctx context.Context) error {
	var tried []string // the settings that differ from before
	before, wait := n.settings, minRetryPause
	for {
		err := n.open(ctx, n.settings.flags)
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case mayPass(err):
		case len(tried) > 0:
			n.logger.Error("the farm cannot be opened with the new settings; the old ones stay in force", "settings", strings.Join(tried, ", "), "error", err)
			n.settings, tried = before, nil
			continue
		default:
			return err
		}
		err = fmt.Errorf("the farm in %s cannot be opened: %w; trying again", n.settings.flags.DataDir, err)
		n.front.Despair(waitsFor(err))
		n.logger.Error("cannot serve requests yet", "reason", err, "again in", wait)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-n.hangUp:
			next, changed, ok := n.readAgain()
			if n.terminalGone {
				return errTerminalGone
			}
			if ok {
				n.logger.Info("trying to open the farm with new settings", "settings", strings.Join(changed, ", "))
				before, tried = n.settings, changed
			}
			n.settings, wait = next, minRetryPause
		case <-time.After(wait):
			wait = min(2*wait, maxRetryPause)
		}
	}
}

// mayPass reports whether an error may pass by itself, unlike a damaged file, the folder of another farm, or a port in use.
func mayPass(err error) bool {
	return durable.Blocked(err) || farm.CodeOf(err) == farm.CodeUnavailable
}

// beingOpened is the health check of a node that is opening its farm.
func beingOpened(dataDir string) func() []farm.Check {
	return waitsFor(fmt.Errorf("the farm in %s is being opened", dataDir))
}

// waitsFor is the health check of a node that cannot serve requests yet.
func waitsFor(reason error) func() []farm.Check {
	return func() []farm.Check {
		return []farm.Check{farm.Failed("start", farm.Errorf(farm.CodeUnavailable, "%w", reason))}
	}
}
