package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"overcrank/cmd/overcrank/configfile"
	"overcrank/cmd/overcrank/process"
)

// uploadsWithin is how long a reload waits for uploads in progress.
const uploadsWithin = time.Minute

// untilRestart are the settings that only a restart changes.
func untilRestart() []string {
	return []string{
		"data-dir", "listen", "new-admin-token", "slots", "agent-config", "root",
		"connections", "connections-per-address", "trusted-proxy", "live-per-person", "live-per-address", "cluster-strangers", "gossip-streams",
	}
}

// settings are the settings of a node, as read from the command line, the environment and a file.
type settings struct {
	flags  Flags
	values map[string]any // of the flags that a file may set, by name
}

// settingsOf are the settings of a parsed command line.
func settingsOf(kctx *kong.Context, f Flags) settings {
	s := settings{flags: f, values: map[string]any{}}
	for _, flag := range configfile.Settable(kctx.Selected().Flags) {
		s.values[flag.Name] = kctx.FlagValue(flag)
	}
	return s
}

// readSettings reads the settings of the command that runs this coordinator again.
func readSettings(program process.Program) (settings, error) {
	kctx, err := program.Parse()
	if err != nil {
		return settings{}, err
	}
	switch command := kctx.Selected().Target.Addr().Interface().(type) {
	case *Up:
		return settingsOf(kctx, command.Flags), nil
	case *Coordinator:
		return settingsOf(kctx, command.Flags), nil
	}
	return settings{}, errors.New("the command line is no longer that of a coordinator")
}

// changed returns the names of the settings that differ: those that a reload changes now, and those that the next start changes later.
func (s settings) changed(next settings) (now, later []string) {
	for name, value := range next.values {
		switch {
		case reflect.DeepEqual(value, s.values[name]):
		case slices.Contains(untilRestart(), name):
			later = append(later, name)
		default:
			now = append(now, name)
		}
	}
	slices.Sort(now)
	slices.Sort(later)
	return now, later
}

// run serves until ctx ends, the server ends, the coordinator is removed from the farm, or the terminal in which it was started is closed.
func (n *node) run(ctx context.Context) error {
	for !n.terminalGone {
		select {
		case <-ctx.Done():
			return nil
		case <-n.ended:
			return nil
		case <-n.farm().Cluster().Left():
			return nil
		case <-n.hangUp:
			if err := n.hungUp(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// hungUp handles SIGHUP: it reloads the settings, unless the signal means that the terminal was closed.
func (n *node) hungUp(ctx context.Context) error {
	next, changed, ok := n.readAgain()
	if !ok {
		return nil
	}
	return n.reload(ctx, next, changed)
}

// readAgain reads the settings, and returns the names of those that a reload changes. ok is false when there is nothing to reload; why is
// logged.
func (n *node) readAgain() (next settings, changed []string, ok bool) {
	if n.terminalGone = n.inTerminal && !term.IsTerminal(int(os.Stdin.Fd())); n.terminalGone {
		return n.settings, nil, false
	}
	next, err := readSettings(n.program)
	if err != nil {
		n.logger.Error("cannot read the settings; the old ones stay in force", "error", err)
		return n.settings, nil, false
	}
	changed, later := n.settings.changed(next)
	if len(later) > 0 {
		n.logger.Warn("some of the changed settings take effect at the next start", "settings", strings.Join(later, ", "))
		next.flags.DataDir, next.flags.Listen = n.settings.flags.DataDir, n.settings.flags.Listen
		for _, name := range later {
			next.values[name] = n.settings.values[name]
		}
	}
	if len(changed) == 0 {
		n.logger.Info("the settings have not changed")
	}
	return next, changed, len(changed) > 0
}

// reload replaces the coordinator by one with new settings, on the same folder. Requests wait meanwhile; clients reconnect their sockets.
// When it cannot be opened with the new settings, it is opened with the old ones.
func (n *node) reload(ctx context.Context, next settings, changed []string) error {
	uploads, cancel := context.WithTimeout(ctx, uploadsWithin)
	n.front.AwaitUploads(uploads)
	cancel()
	if ctx.Err() != nil {
		return nil
	}
	n.handOver()
	began := time.Now()
	folder := n.settings.flags.DataDir
	if err := n.closeService(folder); err != nil {
		n.logger.Error("the coordinator with the old settings did not close properly", "error", err)
	}
	err := n.open(ctx, next.flags)
	if err == nil {
		n.settings = next
		n.logger.Info("new settings are in force", "settings", strings.Join(changed, ", "), "waited", time.Since(began).Round(time.Millisecond))
		return nil
	}
	n.logger.Error("the farm cannot be opened with the new settings; the old ones stay in force", "settings", strings.Join(changed, ", "), "error", err)
	if err := n.openRetrying(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("open the farm in %s again: %w", folder, err)
	}
	return nil
}

// listenForReload returns the channel that receives SIGHUP.
func listenForReload() chan os.Signal {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	return asked
}
