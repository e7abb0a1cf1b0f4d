package schedule

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
)

// why says in a sentence what a ready task waits for.
func (e *explanation) why() string {
	q := e.q
	levelName := levelOf(e.t.Level).name()
	level := q.policy.Levels[levelName]
	switch {
	case q.policy.Paused:
		return "The farm is paused: no new task starts until an operator resumes it."
	case level.Paused:
		return fmt.Sprintf("The level %s is paused: none of its tasks starts until an operator resumes it.", levelName)
	case q.whyHeld(e.t.Team, e.t.Need.Project) != "":
		return q.whyHeld(e.t.Team, e.t.Need.Project)
	case e.t.NotBefore.After(e.now):
		return "It does not start before " + clock(e.t.NotBefore, e.now) + "."
	case e.connected == 0:
		return "No machine is online: start an agent."
	case len(e.fitting) == 0:
		return e.whyNoneFits()
	case e.able == 0:
		return e.whyNoneWorks()
	}
	if held := e.held(); held != "" {
		return held
	}
	switch {
	case e.free == 0 && e.outside():
		return fmt.Sprintf("The level %s is outside its hours (%s): its tasks run when nothing else needs a machine.", levelName, hoursOf(level))
	case e.free == 0 && len(e.fitting) == 1:
		return "The only machine that fits is busy."
	case e.free == 0 && e.able == len(e.fitting):
		return fmt.Sprintf("All %s that fit are busy.", machines(len(e.fitting)))
	case e.free == 0:
		return fmt.Sprintf("Of the %s that fit, %d %s busy; %s.", machines(len(e.fitting)), e.able, are(e.able), e.outReasons())
	case e.untried == 0:
		return fmt.Sprintf("Only machines that failed it before are free. It waits up to %.0f minutes for another one.", AvoidFor.Minutes())
	case e.it == nil:
		return "It is not in line yet."
	default:
		return "A machine is about to start it."
	}
}

func (e *explanation) outside() bool {
	level := e.q.policy.Levels[levelOf(e.t.Level).name()]
	return !farm.Within(level.Hours, e.now)
}

// held says what keeps the task from machines that have a free slot; "" for nothing.
func (e *explanation) held() string {
	q := e.q
	level := levelOf(e.t.Level)
	for _, l := range e.c.limits {
		if slices.ContainsFunc(e.fitting, func(m *machine) bool { return m.able() && l.admits(m, 0, 0) }) {
			continue
		}
		if !l.full(0) {
			return fmt.Sprintf("Every machine that fits already runs as many tasks of the limit '%s' as it may (%d).", l.name, l.policy.PerMachine)
		}
		if l.policy.Total == 1 {
			return fmt.Sprintf("The limit '%s' is reached: its only place is taken.", l.name)
		}
		return fmt.Sprintf("The limit '%s' is reached: all %d places are taken.", l.name, l.policy.Total)
	}
	if q.levelFull(level, 0) {
		return fmt.Sprintf("The level %s already uses its share of the farm (%.0f %% of %d slots).",
			level.name(), 100*q.policy.Levels[level.name()].MaxShare, q.slots)
	}
	if e.team.full(0) && !e.someOf(e.team.machines) {
		if e.team.policy.MaxMachines == 1 {
			return "Your team already uses the one machine that it may use at a time."
		}
		return fmt.Sprintf("Your team already uses the %s that it may use at a time.", machines(e.team.policy.MaxMachines))
	}
	j, limit := q.jobs[e.t.Job], e.maxMachines()
	if j != nil && limit > 0 && len(j.machines) >= limit && !e.someOf(j.machines) {
		return fmt.Sprintf("The job already has as many machines as may work on it at once (%d).", limit)
	}
	return ""
}

func (e *explanation) maxMachines() int {
	return e.q.maxMachines(&item{maxMachines: machinesOf(e.t)})
}

// someOf reports whether one of the machines has a slot for the task.
func (e *explanation) someOf(those map[*machine]int) bool {
	return slices.ContainsFunc(e.fitting, func(m *machine) bool { return m.free > 0 && those[m] > 0 })
}

// whyNoneFits names what no machine has, or what rules out the most machines.
func (e *explanation) whyNoneFits() string {
	n := e.connected
	asked := e.requirements[:len(e.c.asks)]
	var missing, some []string
	for _, r := range asked {
		switch {
		case r.RulesOut == n:
			missing = append(missing, r.Wants)
		case r.RulesOut > 0:
			some = append(some, r.Wants)
		}
	}
	switch {
	case len(missing) > 0:
		return e.whyMissing(asked, missing)
	case e.barred == 1:
		return "The only machine that fits failed the task for good. It waits for another machine."
	case e.barred > 1:
		return fmt.Sprintf("All %s that fit failed the task for good. It waits for another machine.", machines(e.barred))
	default:
		return fmt.Sprintf("None of the %s online has all of %s together.", machines(n), list(some))
	}
}

// whyMissing names what no connected machine has, and what can be done.
func (e *explanation) whyMissing(asked []farm.Requirement, missing []string) string {
	if words := e.withoutSession(); words != "" && slices.ContainsFunc(asked, func(r farm.Requirement) bool { return r.Kind == "engine" && r.RulesOut == e.connected }) {
		return words
	}
	tagged, secret, encoder := true, false, ""
	for _, r := range asked {
		if r.RulesOut != e.connected {
			continue
		}
		secret = secret || r.Kind == "secret"
		if r.Kind == "codec" {
			encoder = e.c.need.Writes
		}
		tagged = tagged && (r.Kind == "tags" || r.Kind == "anyTags" || r.Kind == "noTags")
	}
	sentence := fmt.Sprintf("None of the %s online has %s.", machines(e.connected), list(missing))
	if e.connected == 1 {
		sentence = fmt.Sprintf("The only machine online does not have %s.", list(missing))
	}
	if secret {
		return sentence + " It waits until an operator gives a machine that tag (a machine's own tags do not count), or changes the tags of the secret."
	}
	if encoder != "" && len(missing) == 1 {
		return fmt.Sprintf("No machine can encode %s: %s It waits until one has an ffmpeg that can ('overcrank ffmpeg add' gives machines one).", encoder, strings.ToLower(sentence[:1])+sentence[1:])
	}
	if tagged {
		return sentence + " It waits until an operator changes a machine's tags, or submit the job with other tags."
	}
	return sentence + " It waits for a machine that does."
}

// withoutSession names the machines whose After Effects cannot run now, and why, for a task that needs it; "" when there are none.
func (e *explanation) withoutSession() string {
	if !e.c.need.Engine.adobe() {
		return ""
	}
	count, reasons := 0, map[string]bool{}
	for _, m := range e.q.machines {
		if m.connected && m.lacks != "" {
			count++
			reasons[m.lacks] = true
		}
	}
	if count == 0 {
		return ""
	}
	why := strings.Join(slices.Sorted(maps.Keys(reasons)), "; ")
	if e.connected == 1 {
		return fmt.Sprintf("The only machine online has After Effects but cannot run it now (%s). It waits until that changes.", why)
	}
	return fmt.Sprintf("Of the %s online, %d %s After Effects but cannot run it now (%s). It waits until that changes.", machines(e.connected), count, have(count), why)
}

// whyNoneWorks says why the machines that fit get no work.
func (e *explanation) whyNoneWorks() string {
	outs := e.outReasons()
	return strings.ToUpper(outs[:1]) + outs[1:] + "."
}

var outWords = []struct {
	why  OutKind
	is   string
	more func(m *machine) string
}{
	{OutAway, "in use by its artist", (*machine).reason},
	{OutNotReady, "not ready", (*machine).reason},
	{OutResting, "resting after it gave work back", nil},
	{OutDrained, "drained", nil},
	{OutPaused, "paused", nil},
	{OutAside, "set aside", (*machine).reason},
}

func (m *machine) reason() string { return m.out.Reason }

// outReasons counts by reason the machines that fit and get no work.
func (e *explanation) outReasons() string {
	var parts []string
	for _, w := range outWords {
		these := e.out[w.why]
		if len(these) == 0 {
			continue
		}
		is := w.is
		if len(these) > 1 {
			is = strings.Replace(is, "by its artist", "by their artists", 1)
			is = strings.Replace(is, "after it gave", "after they gave", 1)
		}
		part := fmt.Sprintf("%s that %s %s %s", machines(len(these)), fit(len(these)), are(len(these)), is)
		if until := earliest(these); !until.IsZero() {
			part += " until " + clock(until, e.now)
		}
		if w.more != nil && len(these) == 1 && w.more(these[0]) != "" {
			part += " (" + w.more(these[0]) + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// earliest is when the first of some machines may get work again; zero when unknown.
func earliest(these []*machine) time.Time {
	var at time.Time
	for _, m := range these {
		if u := m.out.Until; !u.IsZero() && (at.IsZero() || u.Before(at)) {
			at = u
		}
	}
	return at
}

func hoursOf(p farm.LevelPolicy) string {
	parts := make([]string, len(p.Hours))
	for i, h := range p.Hours {
		parts[i] = h.String()
	}
	return strings.Join(parts, ", ")
}

// clock formats a time for people, in the farm's time zone, which need not be the reader's.
func clock(at, now time.Time) string {
	at = at.In(now.Location())
	switch {
	case at.Sub(now) < 2*time.Minute:
		return at.Format("15:04:05 MST")
	case at.Format(time.DateOnly) == now.Format(time.DateOnly):
		return at.Format("15:04 MST")
	default:
		return at.Format("2006-01-02 15:04 MST")
	}
}

func machines(n int) string {
	if n == 1 {
		return "1 machine"
	}
	return fmt.Sprintf("%d machines", n)
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

func fit(n int) string {
	if n == 1 {
		return "fits"
	}
	return "fit"
}

func list(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}
