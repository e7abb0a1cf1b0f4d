// Package presence decides whether an artist's machine may work for the farm: by the rules that its owner set, by what the machine shows of
// its use (input, programs, load, battery), and by pauses that people at the machine asked for.
package presence

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"overcrank/farm"
)

// Rules say when a machine may work for the farm: when all of them allow it. The zero value always does.
type Rules struct {
	// IdleAfter is how long there has to be no input by keyboard, mouse or tablet until the machine counts as idle; 0 ignores input. A
	// machine where nobody is logged in, or whose input cannot be observed, counts as idle.
	IdleAfter time.Duration
	// LockedIsIdle makes a machine with a locked screen count as idle at once.
	LockedIsIdle bool
	// MaxOtherLoad is how much programs other than the farm's may use, in percent of all processors; 0 is no limit.
	MaxOtherLoad int
	// Hours are when the machine may work for the farm, in its own time zone; none means always.
	Hours []farm.Hours
	// FarmHours are when the farm gives the machine work, in the machine's time zone, set by the farm's operators; none means always.
	FarmHours []farm.Hours
	// Programs are names of programs: while one of them runs, the machine counts as in use. Case and the endings .exe and .app are
	// ignored; a * at the end stands for anything. Programs that the farm started do not count.
	Programs []string
	// NotOnBattery means that the machine does not work for the farm while it runs on its battery.
	NotOnBattery bool
	// Untouched are names like those of Programs, but chosen by the agent, not by the owner: while somebody has such a program open, as
	// After Effects, the farm keeps away from it.
	Untouched []string
}

// Want is what has to be observed to apply these rules.
func (r Rules) Want() Want {
	return Want{Input: r.IdleAfter > 0, Processes: r.MaxOtherLoad > 0 || len(r.Programs)+len(r.Untouched) > 0, Battery: r.NotOnBattery}
}

// Pause is a pause of the work for the farm that somebody at the machine asked for. The zero value is no pause.
type Pause struct {
	On    bool      `json:"on"`
	Until time.Time `json:"until,omitzero"` // the zero time: until somebody resumes it
}

// morning is when a pause until tomorrow ends, in minutes after midnight.
const morning = 6 * 60

// Tomorrow is when a pause until tomorrow ends that begins now, on this machine's clock.
func Tomorrow(now time.Time) time.Time { return Next(now, morning) }

// Next is the next time at which the machine's clock shows so many minutes after midnight.
func Next(now time.Time, minutes int) time.Time {
	window := []farm.Hours{{From: minutes, To: (minutes + 1) % (24 * 60)}}
	at := farm.NextChange(window, now)
	if farm.Within(window, at) {
		return at
	}
	return farm.NextChange(window, at)
}

// holds reports whether the pause is on and has not passed.
func (p Pause) holds(now time.Time) bool { return p.On && (p.Until.IsZero() || now.Before(p.Until)) }

// Reasons that the icon on a person's desktop has its own words for.
const (
	ReasonInput   = "somebody works at it"
	ReasonBattery = "it runs on its battery"
)

// Judge decides whether the machine may work for the farm, why not, and when that may change. now is in the machine's time zone.
func (r Rules) Judge(now time.Time, pause Pause, seen Sight) farm.Availability {
	away := func(until time.Time, format string, args ...any) farm.Availability {
		return farm.Availability{Presence: farm.PresenceAway, Reason: fmt.Sprintf(format, args...), Until: until}
	}
	next := sooner(farm.NextChange(r.Hours, now), farm.NextChange(r.FarmHours, now))
	if pause.holds(now) {
		return away(pause.Until, "paused by somebody at the machine")
	}
	if !farm.Within(r.Hours, now) {
		return away(farm.NextChange(r.Hours, now), "outside its hours (%s)", farm.JoinHours(r.Hours))
	}
	if !farm.Within(r.FarmHours, now) {
		return away(farm.NextChange(r.FarmHours, now), "outside the hours that the farm has set (%s)", farm.JoinHours(r.FarmHours))
	}
	if name := cmp.Or(seen.running(r.Programs), seen.running(r.Untouched)); name != "" {
		return away(time.Time{}, "%s is running", name)
	}
	if r.NotOnBattery && seen.OnBattery {
		return away(time.Time{}, ReasonBattery)
	}
	if r.IdleAfter > 0 && !seen.idle(r) {
		return away(now.Add(r.IdleAfter-seen.Input), ReasonInput)
	}
	if r.MaxOtherLoad > 0 && seen.OtherLoad > float64(r.MaxOtherLoad) {
		return away(time.Time{}, "other programs take more than %d %% of its processors", r.MaxOtherLoad)
	}
	return farm.Availability{Presence: farm.PresenceFree, Until: next}
}

// inUse reports whether somebody is at work: there was input lately, or a program runs that stands for its user.
func (r Rules) inUse(seen Sight) bool {
	return r.IdleAfter > 0 && !seen.idle(r) || seen.running(r.Programs) != "" || seen.running(r.Untouched) != ""
}

// sooner is the earlier of two times, of which the zero time is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// idle reports whether nobody uses the machine, as far as can be observed.
func (s Sight) idle(r Rules) bool {
	switch {
	case s.Session == SessionNone, r.LockedIsIdle && s.Session == SessionLocked, !s.InputKnown:
		return true
	default:
		return s.Input >= r.IdleAfter
	}
}

// mayHaveUser reports whether somebody may use the machine, now or after a break, as far as can be observed.
func (s Sight) mayHaveUser() bool {
	return s.InputKnown || s.Session == SessionActive || s.Session == SessionLocked
}

// running is the name of a running program that is one of programs and not the farm's, "" when there is none.
func (s Sight) running(programs []string) string {
	for _, p := range s.Processes {
		if p.Ours {
			continue
		}
		for _, name := range programs {
			if Named(p.Name, name) {
				return p.Name
			}
		}
	}
	return ""
}

// Named reports whether a program matches a name as Rules.Programs has them.
func Named(program, name string) bool {
	program, name = plain(program), plain(name)
	if begin, any := strings.CutSuffix(name, "*"); any {
		return strings.HasPrefix(program, begin)
	}
	return name != "" && program == name
}

// plain is the name of a program in lower case and without the ending that its system adds.
func plain(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".app")
}
