package agent

import (
	"context"
	"slices"
	"time"

	"overcrank/agent/adobe"
	"overcrank/agent/attempt"
	"overcrank/agent/presence"
	"overcrank/farm"
)

// Return is what becomes of work under way when somebody comes back to the machine.
type Return string

// The ways of returning a machine.
const (
	ReturnNow   Return = "now"   // engines are ended at once and the tasks given back; also when empty
	ReturnFrame Return = "frame" // the same when the frame in work is done
	ReturnLower Return = "lower" // engines go on with what other programs leave of the processor; nothing new is begun
)

// Manners are the settings for sharing the machine with who works at it, and its tags. They may change while the agent runs.
type Manners struct {
	Tags   []string
	Rules  presence.Rules
	Return Return
	// FrameTime is how long the frame in work may take under ReturnFrame.
	FrameTime time.Duration
}

// rules are those of the machine's owner, and one that nobody can lift: where there is an After Effects, the agent keeps away from
// the one that somebody has open. A script of ours would run in it, and quit it.
func (a *agent) rules() presence.Rules {
	rules := a.manners.Load().Rules
	hasOne := slices.ContainsFunc(a.inventory.now().Engines, func(e farm.EngineInfo) bool { return e.Kind == farm.EngineAfterEffects })
	if hasOne {
		rules.Untouched = adobe.Programs
	}
	if hours := a.farmHours.Load(); hours != nil {
		rules.FarmHours = *hours
	}
	rules.NotOnBattery = rules.NotOnBattery || a.neverOnBattery.Load()
	return rules
}

// workRules are the rules as the farm shows them, without those that nobody chose. now is in the machine's time zone.
func (a *agent) workRules(now time.Time) farm.WorkRules {
	r := a.rules()
	zone, offset := now.Zone()
	return farm.WorkRules{
		Hours: r.Hours, IdleMinutes: r.IdleAfter.Minutes(), LockedIsIdle: r.LockedIsIdle, MaxOtherLoad: r.MaxOtherLoad, Programs: r.Programs,
		NotOnBattery: r.NotOnBattery, Zone: zone, ZoneOffset: offset / 60,
	}
}

// presenceChanged acts on a change of whether the machine may work.
func (a *agent) presenceChanged(now farm.Availability) {
	defer a.link.nudge()
	if now.Presence == farm.PresenceFree {
		a.slots.raise()
		a.log.Info("the machine may work for the farm", untilAttr(now)...)
		return
	}
	manners := a.manners.Load()
	a.log.Info("the machine takes no work", append(untilAttr(now), "reason", now.Reason)...)
	reason := a.givenBackFor(now.Reason)
	switch manners.Return {
	case ReturnLower:
		if a.watch.Paused().On { // whoever asks for that wants all of the machine
			a.slots.giveBack(reason, 0)
			return
		}
		a.slots.lower()
	case ReturnFrame:
		a.slots.giveBack(reason, manners.FrameTime)
	default:
		a.slots.giveBack(reason, 0)
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
	return attempt.GivenBackBy(a.cfg.Name, reason)
}

// mayWork is whether the machine may begin something: nobody is at it, and it has what it needs.
func (a *agent) mayWork() farm.Availability {
	now := a.watch.Now()
	if why := a.restarting.Load(); why != nil {
		return farm.Availability{Presence: farm.PresenceAway, Reason: *why, NotReady: true}
	}
	if why := a.readiness.Why(); why != "" {
		return farm.Availability{Presence: farm.PresenceAway, Reason: why, NotReady: true}
	}
	return now
}

// readyEvery is how often it is looked whether the machine has what every task needs.
const readyEvery = 2 * time.Second

// watchReadiness looks at disk and programs until ctx ends. Work under way goes on: it may need no more space than it has.
func (a *agent) watchReadiness(ctx context.Context) {
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	desk := a.availability().Desk()
	for {
		if now := a.availability().Desk(); now != desk {
			desk = now
			a.link.nudge()
		}
		if a.readiness.Look() {
			if why := a.readiness.Why(); why != "" {
				a.log.Warn("this machine takes no work", "reason", why)
			} else {
				a.log.Info("this machine is ready again")
			}
			a.link.nudge()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// availability is what the farm is told: a machine that is left yields as long as something still runs on it.
func (a *agent) availability() farm.Availability {
	now := a.mayWork()
	if now.Presence == farm.PresenceAway && a.slots.busy() {
		now.Presence = farm.PresenceYielding
	}
	now.AfterEffects, now.SignedIn, now.InUse = a.lacksAfterEffects(), a.signedIn(), a.watch.InUse()
	if why := a.noFrame.Load(); why != nil {
		now.NoFrame = *why
	}
	return now
}

// setManners begins to keep other manners.
func (a *agent) setManners(m Manners) {
	before := a.manners.Swap(&m)
	a.watch.SetRules(a.rules())
	if !slices.Equal(before.Tags, m.Tags) {
		a.inventory.retag(m.Tags)
	}
	a.log.Info("the settings were read again")
}

// takeManners keeps other manners as they come, until ctx ends.
func (a *agent) takeManners(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-a.cfg.Changes:
			a.setManners(m)
		}
	}
}

// keepFarmHours begins to keep the hours that the farm has set for the machine, as it told them. They hold while the machine is not linked too.
func (a *agent) keepFarmHours(text string) {
	hours, err := farm.SplitHours(text)
	if err != nil || len(hours) > farm.MostHours {
		a.log.Warn("the farm has set hours for this machine that this release cannot read; they are left alone", "hours", text, "error", err)
		return
	}
	before := a.farmHours.Swap(&hours)
	if before == nil && len(hours) == 0 || before != nil && farm.JoinHours(*before) == farm.JoinHours(hours) {
		return
	}
	a.watch.SetRules(a.rules())
	a.log.Info("the farm has set the hours of this machine", "hours", text)
}
