// Package adobe looks after what every task on a machine shares of After Effects, and shares with the artist: whose turn it is, the one that
// somebody has open, the folder of fonts and the caches.
package adobe

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"overcrank/agent/aerender"
	"overcrank/agent/presence"
)

// Programs are the names of After Effects as a process, on Windows and macOS.
var Programs = []string{"AfterFX*", "After Effects*"}

// AfterEffects is the After Effects of this machine. It is safe for concurrent use.
type AfterEffects struct {
	Fonts  Fonts
	Caches Caches
	// Script is the command that makes an After Effects run a script file, given the path of its aerender.
	Script func(aerender, script string) []string
	// Enter finds where After Effects runs now; an *aerender.GoneError when it cannot.
	Enter func() (Seat, error)
	// Owe remembers the accounts whose caches are to be cleared, since a time, once their sessions are there again; nil where all are the agent's.
	Owe func(map[string]time.Time) error

	watch *presence.Watch
	turns chan struct{} // holds one for each task that uses After Effects
	log   *slog.Logger
}

// New takes care of After Effects on this machine, of which so many tasks may use one at once.
func New(atOnce int, watch *presence.Watch, fonts Fonts, caches Caches, log *slog.Logger) *AfterEffects {
	a := &AfterEffects{
		Fonts: fonts, Caches: caches, watch: watch, turns: make(chan struct{}, max(1, atOnce)), log: log,
		Script: func(engine, script string) []string { return aerender.ScriptCommand(runtime.GOOS, engine, script) },
	}
	a.Enter = func() (Seat, error) { return Own{Caches: caches}, nil }
	return a
}

// InUseError says that somebody at the machine has After Effects open.
type InUseError struct{ Program string }

func (e *InUseError) Error() string { return e.Program + " is running" }

// Take waits until this task may start After Effects, and calls wait once if it has to. Two at once may share preferences, caches and, on
// macOS, the very application, which each script of ours quits.
func (a *AfterEffects) Take(ctx context.Context, wait func()) (release func(), err error) {
	select {
	case a.turns <- struct{}{}:
	default:
		wait()
		select {
		case a.turns <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return func() { <-a.turns }, nil
}

// NotInUse is an *InUseError when an After Effects runs that is not ours. A script of ours would run in it and quit it.
func (a *AfterEffects) NotInUse(ctx context.Context) error {
	name, err := a.watch.Running(ctx, Programs...)
	if err != nil {
		return fmt.Errorf("looking whether somebody has After Effects open: %w", err)
	}
	if name != "" {
		return &InUseError{Program: name}
	}
	return nil
}

// ExpectOurs keeps the After Effects that macOS starts for the farm from being taken for the artist's, until done is called. On other
// systems it is a child of the agent, which is enough to know it.
func (a *AfterEffects) ExpectOurs() (done func()) {
	if runtime.GOOS != "darwin" {
		return func() {}
	}
	return a.watch.Expect(Programs...)
}

// endWithin bounds EndOurs.
const endWithin = 10 * time.Second

// EndOurs ends the After Effects that macOS started for a script of ours that failed, hung or is no longer wanted. It is no child of the
// agent: it would stay, count as the farm's, and be in the way of the next script.
func (a *AfterEffects) EndOurs() {
	if runtime.GOOS != "darwin" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), endWithin)
	defer cancel()
	if err := a.watch.End(ctx, Programs...); err != nil {
		a.log.Warn("an After Effects that the agent started may still run", "error", err)
	}
}
