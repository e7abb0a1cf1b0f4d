package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"overcrank/agent/control"
	"overcrank/agent/presence"
	"overcrank/durable"
	"overcrank/farm"
)

// Return is what becomes of work under way when the machine has to be left to who works at it.
type Return string

// The ways of leaving a machine.
const (
	ReturnNow   Return = "now"   // engines are ended at once and the tasks given back; also when empty
	ReturnFrame Return = "frame" // the same when the frame in work is done
	ReturnLower Return = "lower" // engines go on with what other programs leave of the processor; nothing new is begun
)

// Manners are how the agent treats who works at the machine. They may change while it runs, with the machine's tags.
type Manners struct {
	Tags   []string
	Rules  presence.Rules
	Return Return
	// FrameTime is how long the frame in work may take under ReturnFrame.
	FrameTime time.Duration
}

// afterEffectsPrograms are what After Effects is called as a program, on Windows and macOS.
var afterEffectsPrograms = []string{"AfterFX*", "After Effects*"}

// rules are those of the machine's owner, and one that nobody can lift: where there is an After Effects, the agent keeps away from
// the one that somebody has open. A script of ours would run in it, and quit it.
func (a *agent) rules() presence.Rules {
	rules := a.manners.Load().Rules
	hasOne := slices.ContainsFunc(a.stock.now().Engines, func(e farm.EngineInfo) bool { return e.Kind == farm.EngineAfterEffects })
	if hasOne {
		rules.Untouched = afterEffectsPrograms
	}
	return rules
}

// turned acts on another availability of the machine.
func (a *agent) turned(now farm.Availability) {
	defer a.link.nudge()
	if now.Presence == farm.PresenceFree {
		a.board.welcome()
		a.log.Info("the machine may work for the farm", untilAttr(now)...)
		return
	}
	manners := a.manners.Load()
	a.log.Info("the machine is left to who works at it", append(untilAttr(now), "reason", now.Reason)...)
	reason := a.givenBackFor(now.Reason)
	switch manners.Return {
	case ReturnLower:
		if a.watch.Paused().On { // whoever asks for that wants all of the machine
			a.board.giveBack(reason, 0)
			return
		}
		a.board.stepBack()
	case ReturnFrame:
		a.board.giveBack(reason, manners.FrameTime)
	default:
		a.board.giveBack(reason, 0)
	}
}

// untilAttr is when an availability may change, for a log, when that is known.
func untilAttr(now farm.Availability) []any {
	if now.Until.IsZero() {
		return nil
	}
	return []any{"until", now.Until}
}

// givenBackFor is a line for a job's log.
func (a *agent) givenBackFor(reason string) string {
	return fmt.Sprintf("Given back by machine '%s': %s", a.cfg.Name, reason)
}

// availability is what the farm is told: a machine that is left yields as long as something still runs on it.
func (a *agent) availability() farm.Availability {
	now := a.mayWork()
	if now.Presence == farm.PresenceAway && a.board.busy() {
		now.Presence = farm.PresenceYielding
	}
	return now
}

// alone makes sure that no After Effects but ours runs, before one of ours is started.
func (a *agent) alone(ctx context.Context) error {
	name, err := a.watch.Running(ctx, afterEffectsPrograms...)
	if err != nil {
		return fmt.Errorf("looking whether somebody has After Effects open: %w", err)
	}
	if name != "" {
		return &givenBack{reason: a.givenBackFor(name + " is running")}
	}
	return nil
}

// expectAfterEffects keeps the After Effects that macOS starts for the farm from being taken for the artist's, until done is called.
// Elsewhere it is a child of the agent.
func (a *agent) expectAfterEffects() (done func()) {
	if runtime.GOOS != "darwin" {
		return func() {}
	}
	return a.watch.Expect(afterEffectsPrograms...)
}

// endAfterEffects ends what macOS started for a script of ours that failed, hung or is no longer wanted: it is no child of the agent, so
// that it would stay, count as the farm's, and be in the way of the next script.
func (a *agent) endAfterEffects() {
	if runtime.GOOS != "darwin" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), endWithin)
	defer cancel()
	if err := a.watch.End(ctx, afterEffectsPrograms...); err != nil {
		a.log.Warn("an After Effects of ours may still run", "error", err)
	}
}

// endWithin bounds the look for what has to be ended.
const endWithin = 10 * time.Second

// takeAfterEffects waits until After Effects may be started for another task, and gives how that ends. One started twice may share
// preferences, caches and, on macOS, the very application, which each script quits.
func (t *attempt) takeAfterEffects(ctx context.Context) (done func(), err error) {
	select {
	case t.a.adobe <- struct{}{}:
	default:
		t.say("waiting for the After Effects of another task on this machine")
		select {
		case t.a.adobe <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return func() { <-t.a.adobe }, nil
}

// behave takes other manners on.
func (a *agent) behave(m Manners) {
	before := a.manners.Swap(&m)
	a.watch.Rule(a.rules())
	if !slices.Equal(before.Tags, m.Tags) {
		a.stock.retag(m.Tags)
	}
	a.log.Info("the settings were read again")
}

// takeOn takes other manners on as they come, until ctx ends.
func (a *agent) takeOn(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-a.cfg.Changes:
			a.behave(m)
		}
	}
}

// pauseFile keeps a pause over the agent's end, in the data folder.
const pauseFile = "pause.json"

// pausedBefore is the pause that an earlier run was asked for.
func pausedBefore(dataDir string) (p presence.Pause, err error) {
	err = durable.ReadJSON(filepath.Join(dataDir, pauseFile), &p)
	if errors.Is(err, os.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return presence.Pause{}, fmt.Errorf("reading the pause: %w", err)
	}
	return p, nil
}

// Pause keeps the machine from working until then, or lets it work again.
func (a *agent) Pause(p presence.Pause) error {
	if err := durable.WriteJSON(filepath.Join(a.cfg.DataDir, pauseFile), p, 0o600); err != nil {
		return fmt.Errorf("keeping the pause: %w", err)
	}
	a.watch.Pause(p)
	a.watch.Look(context.Background()) // so that whoever asked is told how the machine is now
	return nil
}

// Status is what the agent tells people at the machine.
func (a *agent) Status() control.Status {
	return control.Status{
		Name: a.cfg.Name, Coordinator: a.farm.Address(), Linked: a.link.linked.Load(), Presence: a.availability(), Pause: a.watch.Paused(),
		Working: a.board.working(), Standing: *a.link.standing.Load(), Trouble: *a.link.trouble.Load(),
	}
}
