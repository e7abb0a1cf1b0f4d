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

// uploadsWithin is how long new settings wait for uploads that are under way.
const uploadsWithin = time.Minute

// untilRestart are settings that an open coordinator cannot take up.
func untilRestart() []string {
	return []string{
		"data-dir", "listen", "new-admin-token", "slots", "agent-config", "root",
		"connections", "connections-per-address", "trusted-proxy", "live-per-person", "live-per-address", "cluster-strangers", "gossip-streams",
	}
}

// settings are a node's as they were read, from the command line, the environment and a file.
type settings struct {
	flags  Flags
	values map[string]any // of each flag that may be set in a file, by its name
}

// settingsOf are the settings of the command that was typed.
func settingsOf(kctx *kong.Context, f Flags) settings {
	s := settings{flags: f, values: map[string]any{}}
	for _, flag := range configfile.Settable(kctx.Selected().Flags) {
		s.values[flag.Name] = kctx.FlagValue(flag)
	}
	return s
}

// readSettings reads the settings of a command that runs a coordinator as they are now.
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

// changed are the names of what differs, those apart that count from the next start on.
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

// run serves until ctx ends, the address is served no more, the farm has this coordinator no more, or the terminal is gone in which it ran.
func (n *node) run(ctx context.Context) error {
	for !n.deserted {
		select {
		case <-ctx.Done():
			return nil
		case <-n.ended:
			return nil
		case <-n.farm().Cluster().Left():
			return nil
		case <-n.hangUp:
			if err := n.takeUp(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeUp does what SIGHUP asks for: to take up the settings anew, unless it says that the terminal is gone in which the process ran.
func (n *node) takeUp(ctx context.Context) error {
	next, changed, anew := n.readAgain()
	if !anew {
		return nil
	}
	return n.reload(ctx, next, changed)
}

// readAgain are the settings as they are now, and the names of those that have changed and can be taken up. False says that there are none to
// be taken up, for a reason that has been told.
func (n *node) readAgain() (next settings, changed []string, anew bool) {
	if n.deserted = n.terminal && !term.IsTerminal(int(os.Stdin.Fd())); n.deserted {
		return n.settings, nil, false
	}
	next, err := readSettings(n.program)
	if err != nil {
		n.logger.Error("the settings stay as they were", "error", err)
		return n.settings, nil, false
	}
	changed, later := n.settings.changed(next)
	if len(later) > 0 {
		n.logger.Warn("some of the settings that changed count from the next start on", "settings", strings.Join(later, ", "))
		next.flags.DataDir, next.flags.Listen = n.settings.flags.DataDir, n.settings.flags.Listen
		for _, name := range later {
			next.values[name] = n.settings.values[name]
		}
	}
	if len(changed) == 0 {
		n.logger.Info("the settings are as they were")
	}
	return next, changed, len(changed) > 0
}

// reload has a coordinator with new settings follow the one that serves, on the same folder. Requests wait meanwhile, sockets come again. When it
// cannot be opened, another with the settings of before follows instead.
func (n *node) reload(ctx context.Context, next settings, changed []string) error {
	uploads, cancel := context.WithTimeout(ctx, uploadsWithin)
	n.front.AwaitUploads(uploads)
	cancel()
	if ctx.Err() != nil {
		return nil
	}
	n.takeLeave()
	began := time.Now()
	folder := n.settings.flags.DataDir
	if err := n.hold(folder); err != nil {
		n.logger.Error("the coordinator that served until now did not end in order", "error", err)
	}
	err := n.open(ctx, next.flags)
	if err == nil {
		n.settings = next
		n.logger.Info("new settings are in force", "settings", strings.Join(changed, ", "), "waited", time.Since(began).Round(time.Millisecond))
		return nil
	}
	n.logger.Error("the settings stay as they were: with the new ones the farm cannot be opened", "settings", strings.Join(changed, ", "), "error", err)
	if err := n.openPatiently(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("open the farm in %s again: %w", folder, err)
	}
	return nil
}

// listenForReload has SIGHUP wait until it is looked at.
func listenForReload() chan os.Signal {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	return asked
}
