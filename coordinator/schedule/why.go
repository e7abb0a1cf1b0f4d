package schedule

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
)

// why says in a sentence what a ready task waits for.
func (e *explanation) why() farm.Text {
	q := e.q
	levelName := levelOf(e.t.Level).name()
	level := q.policy.Levels[levelName]
	switch {
	case q.policy.Paused:
		return farm.Say("The farm is paused: no new task starts until an operator resumes it.")
	case level.Paused:
		return farm.Say("The level %s is paused: none of its tasks starts until an operator resumes it.", farm.Say(string(levelName)))
	case !q.whyHeld(e.t.Team, e.t.Need.Project).IsZero():
		return q.whyHeld(e.t.Team, e.t.Need.Project)
	case e.t.NotBefore.After(e.now):
		return farm.Say("It does not start before %s.", clock(e.t.NotBefore, e.now))
	case e.connected == 0:
		return farm.Say("No machine is online: start an agent.")
	case len(e.fitting) == 0:
		return e.whyNoneFits()
	case e.able == 0:
		return e.whyNoneWorks()
	}
	if held := e.held(); !held.IsZero() {
		return held
	}
	switch {
	case e.free == 0 && e.outside():
		return farm.Say("The level %s is outside its hours (%s): its tasks run when nothing else needs a machine.", farm.Say(string(levelName)), hoursOf(level))
	case e.free == 0 && len(e.fitting) == 1:
		return farm.Say("The only machine that fits is busy.")
	case e.free == 0 && e.able == len(e.fitting):
		return farm.Say("All %d machines that fit are busy.", len(e.fitting))
	case e.free == 0:
		return farm.Count(e.able, "Of the %[2]d machines that fit, %[1]d is busy; %[3]s.", "Of the %[2]d machines that fit, %[1]d are busy; %[3]s.", len(e.fitting), e.outReasons())
	case e.untried == 0:
		return farm.Say("Only machines that failed it before are free. It waits up to %d minutes for another one.", int(AvoidFor.Minutes()))
	case e.it == nil:
		return farm.Say("It is not in line yet.")
	default:
		return farm.Say("A machine is about to start it.")
	}
}

func (e *explanation) outside() bool {
	level := e.q.policy.Levels[levelOf(e.t.Level).name()]
	return !farm.Within(level.Hours, e.now)
}

// held says what keeps the task from machines that have a free slot; zero for nothing.
func (e *explanation) held() farm.Text {
	q := e.q
	level := levelOf(e.t.Level)
	for _, l := range e.c.limits {
		if slices.ContainsFunc(e.fitting, func(m *machine) bool { return m.able() && l.admits(m, 0, 0) }) {
			continue
		}
		if !l.full(0) {
			return farm.Say("Every machine that fits already runs as many tasks of the limit '%s' as it may (%d).", l.name, l.policy.PerMachine)
		}
		if l.policy.Total == 1 {
			return farm.Say("The limit '%s' is reached: its only place is taken.", l.name)
		}
		return farm.Say("The limit '%s' is reached: all %d places are taken.", l.name, l.policy.Total)
	}
	if q.levelFull(level, 0) {
		return farm.Say("The level %s already uses its share of the farm (%d %% of %d slots).",
			farm.Say(string(level.name())), int(math.Round(100*q.policy.Levels[level.name()].MaxShare)), q.slots)
	}
	if e.team.full(0) && !e.someOf(e.team.machines) {
		if e.team.policy.MaxMachines == 1 {
			return farm.Say("Your team already uses the one machine that it may use at a time.")
		}
		return farm.Say("Your team already uses the %d machines that it may use at a time.", e.team.policy.MaxMachines)
	}
	j, limit := q.jobs[e.t.Job], e.maxMachines()
	if j != nil && limit > 0 && len(j.machines) >= limit && !e.someOf(j.machines) {
		return farm.Say("The job already has as many machines as may work on it at once (%d).", limit)
	}
	return farm.Text{}
}

func (e *explanation) maxMachines() int {
	return e.q.maxMachines(&item{maxMachines: machinesOf(e.t)})
}

// someOf reports whether one of the machines has a slot for the task.
func (e *explanation) someOf(those map[*machine]int) bool {
	return slices.ContainsFunc(e.fitting, func(m *machine) bool { return m.free > 0 && those[m] > 0 })
}

// whyNoneFits names what no machine has, or what rules out the most machines.
func (e *explanation) whyNoneFits() farm.Text {
	n := e.connected
	asked := e.requirements[:len(e.c.asks)]
	var missing, some []farm.Text
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
		return farm.Say("The only machine that fits failed the task for good. It waits for another machine.")
	case e.barred > 1:
		return farm.Say("All %d machines that fit failed the task for good. It waits for another machine.", e.barred)
	default:
		return farm.Say("None of the %d machines online has all of %s together.", n, farm.ListOf(some))
	}
}

// whyMissing names what no connected machine has, and what can be done.
func (e *explanation) whyMissing(asked []farm.Requirement, missing []farm.Text) farm.Text {
	if words := e.withoutSession(); !words.IsZero() && slices.ContainsFunc(asked, func(r farm.Requirement) bool { return r.Kind == "engine" && r.RulesOut == e.connected }) {
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
	list := farm.ListOf(missing)
	if encoder != "" && len(missing) == 1 && !secret {
		return e.whyNotEncoded(encoder, list)
	}
	sentence := farm.Say("None of the %d machines online has %s.", e.connected, list)
	if e.connected == 1 {
		sentence = farm.Say("The only machine online does not have %s.", list)
	}
	then := farm.Say("It waits for a machine that does.")
	if secret {
		then = farm.Say("It waits until an operator gives a machine that tag (a machine's own tags do not count), or changes the tags of the secret.")
	} else if tagged {
		then = farm.Say("An operator can change a machine's tags, or you submit the job with other tags.")
	}
	return farm.Say("%s %s", sentence, then)
}

// whyNotEncoded says that no connected machine has the encoder that a result needs, and where machines get one.
func (e *explanation) whyNotEncoded(encoder string, missing farm.Text) farm.Text {
	if e.connected == 1 {
		return farm.Say("No machine can encode %s: the only machine online does not have %s. "+
			"It waits until one has an ffmpeg that can ('overcrank ffmpeg add' gives machines one).", encoder, missing)
	}
	return farm.Say("No machine can encode %s: none of the %d machines online has %s. "+
		"It waits until one has an ffmpeg that can ('overcrank ffmpeg add' gives machines one).", encoder, e.connected, missing)
}

// withoutSession names the machines whose After Effects cannot run now, and why, for a task that needs it; zero when there are none.
func (e *explanation) withoutSession() farm.Text {
	if !e.c.need.Engine.adobe() {
		return farm.Text{}
	}
	count, reasons := 0, map[string]farm.Text{}
	for _, m := range e.q.machines {
		if m.connected && !m.lacks.IsZero() {
			count++
			reasons[m.lacks.String()] = m.lacks
		}
	}
	if count == 0 {
		return farm.Text{}
	}
	var why farm.Text
	for i, words := range slices.Sorted(maps.Keys(reasons)) {
		if i == 0 {
			why = reasons[words]
			continue
		}
		why = farm.Say("%s; %s", why, reasons[words])
	}
	if e.connected == 1 {
		return farm.Say("The only machine online has After Effects but cannot run it now (%s). It waits until that changes.", why)
	}
	return farm.Count(count, "Of the %[2]d machines online, %[1]d has After Effects but cannot run it now (%[3]s). It waits until that changes.",
		"Of the %[2]d machines online, %[1]d have After Effects but cannot run it now (%[3]s). It waits until that changes.", e.connected, why)
}

// whyNoneWorks says why the machines that fit get no work.
func (e *explanation) whyNoneWorks() farm.Text { return farm.Say("%s.", e.outReasons()) }

// outWords say of how many machines that fit they get no work, by why; a single one's own reason is told where it has one.
var outWords = []struct {
	why OutKind
	say func(n int) farm.Text
}{
	{OutAway, func(n int) farm.Text {
		return farm.Count(n, "%d machine that fits is in use by its artist", "%d machines that fit are in use by their artists")
	}},
	{OutNotReady, func(n int) farm.Text {
		return farm.Count(n, "%d machine that fits is not ready", "%d machines that fit are not ready")
	}},
	{OutResting, func(n int) farm.Text {
		return farm.Count(n, "%d machine that fits is resting after it gave work back", "%d machines that fit are resting after they gave work back")
	}},
	{OutDrained, func(n int) farm.Text {
		return farm.Count(n, "%d machine that fits is drained", "%d machines that fit are drained")
	}},
	{OutPaused, func(n int) farm.Text {
		return farm.Count(n, "%d machine that fits is paused", "%d machines that fit are paused")
	}},
	{OutAside, func(n int) farm.Text {
		return farm.Count(n, "%d machine that fits is set aside", "%d machines that fit are set aside")
	}},
}

// outReasons counts by reason the machines that fit and get no work.
func (e *explanation) outReasons() farm.Text {
	var all farm.Text
	for _, w := range outWords {
		these := e.out[w.why]
		if len(these) == 0 {
			continue
		}
		part := w.say(len(these))
		if until := earliest(these); !until.IsZero() {
			part = farm.Say("%s until %s", part, clock(until, e.now))
		}
		if reason := these[0].out.Reason; len(these) == 1 && !reason.IsZero() {
			part = farm.Say("%s (%s)", part, reason)
		}
		if all.IsZero() {
			all = part
			continue
		}
		all = farm.Say("%s, %s", all, part)
	}
	return all
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
