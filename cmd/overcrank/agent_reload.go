package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/agent"
)

// settingsEvery is how often it is looked whether the file of settings has changed.
const settingsEvery = 2 * time.Second

// followSettings reads the agent's settings again when their file changes and on SIGHUP, in the way in which they were read at first.
// Those that can be followed come by changes; of the others it is said that they wait for the next start. stop ends it.
func followSettings(ctx context.Context, now agentSettings, logger *slog.Logger) (changes <-chan agent.Manners, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	f := &settingsFollower{now: now, log: logger, args: os.Args[1:], path: usualConfig("agent"), out: make(chan agent.Manners)}
	if now.ConfigFile != "" {
		f.path = now.ConfigFile
	}
	f.seen = f.state()
	var following sync.WaitGroup
	following.Go(func() { f.run(ctx) })
	return f.out, func() {
		cancel()
		following.Wait()
	}
}

type settingsFollower struct {
	now  agentSettings
	log  *slog.Logger
	args []string // that the program was started with
	path string
	seen fileState
	out  chan agent.Manners
}

// fileState tells a file from a changed one.
type fileState struct {
	size     int64
	modified time.Time
}

func (f *settingsFollower) state() fileState { return stateOf(f.path) }

// stateOf is the state of a file, the zero value when it is not there.
func stateOf(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{info.Size(), info.ModTime()}
}

func (f *settingsFollower) run(ctx context.Context) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	defer signal.Stop(asked)
	ticker := time.NewTicker(settingsEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-asked:
		case <-ticker.C:
			if f.state() == f.seen {
				continue
			}
		}
		f.seen = f.state()
		next, err := readSettings(f.args)
		if err != nil {
			f.log.Error("the settings stay as they were", "error", err)
			continue
		}
		f.take(ctx, next)
	}
}

// readSettings parses the program's arguments again, with the environment and the file as they are now.
func readSettings(args []string) (agentSettings, error) {
	var c cli
	if _, err := parseAgain(&c, args); err != nil {
		return agentSettings{}, err
	}
	return c.Agent.agentSettings, nil
}

// parseAgain parses the program's arguments as they would be at a start now.
func parseAgain(c *cli, args []string) (*kong.Context, error) {
	parser, err := newParser(c)
	if err != nil {
		return nil, err
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	return kctx, nil
}

// take hands on what can be followed.
func (f *settingsFollower) take(ctx context.Context, next agentSettings) {
	if fixed := next.fixed(); !reflect.DeepEqual(fixed, f.now.fixed()) {
		f.log.Warn("some of the settings that changed count from the agent's next start on", "file", f.path)
	}
	before := f.now
	f.now = next
	if reflect.DeepEqual(before.manners(), next.manners()) {
		return
	}
	select {
	case f.out <- next.manners():
	case <-ctx.Done():
	}
}

// fixed are the settings without those that can be followed.
func (s agentSettings) fixed() agentSettings {
	s.Tags, s.Hours, s.Programs = nil, nil, nil
	s.IdleAfter, s.LockedIsIdle, s.MaxOtherLoad, s.OnBattery, s.OnReturn, s.FrameTime = 0, false, 0, false, "", 0
	return s
}
