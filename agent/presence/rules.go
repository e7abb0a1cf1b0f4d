// Package presence decides whether a machine that somebody works at may work for the farm: by rules that its owner set, from what
// can be seen of the desk, and by what people at the machine say. It changes nothing there.
package presence

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"overcrank/farm"
)

// Rules are when a machine may work for the farm. All of them have to agree. The zero value always lets it.
type Rules struct {
	// IdleAfter is how long nobody has touched keyboard, mouse or tablet before the machine counts as idle; 0 means that input does
	// not matter. A machine at which nobody is logged in, or whose input cannot be seen, counts as idle.
	IdleAfter time.Duration
	// LockedIsIdle lets a locked screen count as idle at once.
	LockedIsIdle bool
	// MaxOtherLoad is how much of all processors, in percent, programs other than the farm's may take; 0 for any.
	MaxOtherLoad int
	// Hours are when the machine may work for the farm at all, in its own time zone; none means always.
	Hours []farm.Hours
	// Programs are names of programs that mean, while one of them runs, that somebody uses the machine. A name counts whatever its
	// case, with and without the ending .exe or .app, and stands for any letters with * at its end. The farm's own do not count.
	Programs []string
	// NotOnBattery lets the machine rest while it runs on its battery.
	NotOnBattery bool
	// Untouched are names like those of Programs, of programs that the farm keeps away from by itself. They are no wish of the
	// machine's owner: only where somebody is can one of them be started.
	Untouched []string
}

// Want is what has to be seen of a desk to judge it by these rules.
func (r Rules) Want() Want {
	return Want{Input: r.IdleAfter > 0, Processes: r.MaxOtherLoad > 0 || len(r.Programs)+len(r.Untouched) > 0, Battery: r.NotOnBattery}
}

// Pause is what somebody at the machine said: no work for the farm. The zero value is none.
type Pause struct {
	On    bool      `json:"on"`
	Until time.Time `json:"until,omitzero"` // zero: until somebody says otherwise
}

// holds tells whether the pause has begun and not passed.
func (p Pause) holds(now time.Time) bool { return p.On && (p.Until.IsZero() || now.Before(p.Until)) }

// Judge says whether the machine may work, why not, and when that may change. now is in the machine's time zone.
func (r Rules) Judge(now time.Time, pause Pause, seen Sight) farm.Availability {
	away := func(until time.Time, format string, args ...any) farm.Availability {
		return farm.Availability{Presence: farm.PresenceAway, Reason: fmt.Sprintf(format, args...), Until: until}
	}
	next := farm.NextChange(r.Hours, now)
	if pause.holds(now) {
		return away(pause.Until, "paused by somebody at the machine")
	}
	if !farm.Within(r.Hours, now) {
		return away(next, "outside its hours (%s)", hoursText(r.Hours))
	}
	if name := cmp.Or(seen.running(r.Programs), seen.running(r.Untouched)); name != "" {
		return away(time.Time{}, "%s is running", name)
	}
	if r.NotOnBattery && seen.OnBattery {
		return away(time.Time{}, "it runs on its battery")
	}
	if r.IdleAfter > 0 && !seen.idle(r) {
		return away(now.Add(r.IdleAfter-seen.Input), "somebody works at it")
	}
	if r.MaxOtherLoad > 0 && seen.OtherLoad > float64(r.MaxOtherLoad) {
		return away(time.Time{}, "other programs take more than %d %% of its processors", r.MaxOtherLoad)
	}
	return farm.Availability{Presence: farm.PresenceFree, Until: next}
}

func hoursText(hours []farm.Hours) string {
	texts := make([]string, len(hours))
	for i, h := range hours {
		texts[i] = h.String()
	}
	return strings.Join(texts, "; ")
}

// idle tells whether nobody works at the desk, as far as can be seen.
func (s Sight) idle(r Rules) bool {
	switch {
	case s.Session == SessionNone, r.LockedIsIdle && s.Session == SessionLocked, !s.InputKnown:
		return true
	default:
		return s.Input >= r.IdleAfter
	}
}

// peopled tells whether somebody may be at the desk, as far as can be seen: at work or away from it for a while.
func (s Sight) peopled() bool {
	return s.InputKnown || s.Session == SessionActive || s.Session == SessionLocked
}

// running is the first of the programs that runs and is not the farm's, "" when none does.
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

// Named tells whether a program is meant by a name of Rules.Programs.
func Named(program, name string) bool {
	program, name = plain(program), plain(name)
	if begin, any := strings.CutSuffix(name, "*"); any {
		return strings.HasPrefix(program, begin)
	}
	return name != "" && program == name
}

// plain is a program's name without what systems put behind it.
func plain(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".app")
}
