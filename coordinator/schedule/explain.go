package schedule

import (
	"cmp"
	"slices"
	"time"

	"overcrank/farm"
)

// Explain reports what a task requires, how many machines each requirement rules out, the task's place in line, and, in a sentence, what
// it waits for. The task need not be in the queue. The cost is one look at each connected machine and at a bounded part of the line.
func (q *Queue) Explain(t Task, now time.Time) farm.Placement {
	return q.ExplainEach([]Task{t}, now)[0]
}

// ExplainEach is Explain of some tasks, in their order. The line is walked once for all of them, and machines are looked at once for all that ask
// for the same.
func (q *Queue) ExplainEach(tasks []Task, now time.Time) []farm.Placement {
	all := make([]farm.Placement, len(tasks))
	q.lookEach(tasks, now, (*explanation).survey, func(i int, e *explanation, at linePlace) {
		all[i] = farm.Placement{
			Job: e.t.Job, Task: e.t.ID, Agents: e.connected, Fitting: len(e.fitting), Free: e.free, Requirements: slices.Clone(e.requirements),
			Nearest: e.nearest, Why: e.why(), At: now, Place: at.place, PlaceAtLeast: at.least, Start: e.start(at.place),
		}
	})
	return all
}

// lookEach hands each task to do, with its place in line and what look finds of the machines, once for all tasks of a team that ask for the same.
func (q *Queue) lookEach(tasks []Task, now time.Time, look func(*explanation), do func(i int, e *explanation, at linePlace)) {
	type alike struct {
		class *class
		team  string
	}
	items := make([]*item, len(tasks))
	for i, t := range tasks {
		items[i] = q.items[t.ID]
	}
	places, known := q.placesOf(items, now), map[alike]*explanation{}
	for i, t := range tasks {
		kind := alike{q.classOf(t), t.Team}
		e := known[kind]
		if e == nil {
			e = &explanation{q: q, c: kind.class, team: q.teamOf(t.Team), now: now, t: t}
			look(e)
			known[kind] = e
		}
		e.t, e.it = t, items[i]
		do(i, e, places[items[i]])
	}
	for kind := range known {
		if kind.class.tasks == 0 {
			q.leaveIdle(kind.class)
		}
	}
}

// explanation collects what Explain reports.
type explanation struct {
	q    *Queue
	c    *class
	t    Task
	it   *item // nil when the task is not in the queue
	team *team
	now  time.Time

	connected    int
	fitting      []*machine // meet the requirements and are not barred
	able         int        // of these, can get work
	free         int        // of these, have a free slot
	barred       int        // meet the requirements but failed the task for good
	untried      int        // of the free ones, did not fail the task
	slots        int        // of those that can get work
	out          map[OutKind][]*machine
	requirements []farm.Requirement
	nearest      *farm.NearAgent
}

// fit counts the connected machines that may take the task.
func (e *explanation) fit() {
	for _, m := range e.q.machines {
		if !m.connected || !e.c.row.has(m.profile.index) || slices.Contains(e.c.barred, m.id) {
			continue
		}
		e.fitting = append(e.fitting, m)
		if !m.able() {
			continue
		}
		e.able++
		e.slots += m.slots
		if m.free > 0 {
			e.free++
			e.untried += oneIf(!slices.Contains(e.c.avoid, m.id))
		}
	}
}

// survey examines every connected machine.
func (e *explanation) survey() {
	q, c := e.q, e.c
	e.requirements = []farm.Requirement{}
	for _, a := range c.asks {
		r := farm.Requirement{Kind: a.kind, Wants: a.wants}
		for _, p := range q.profiles {
			if !a.met(p) {
				r.RulesOut += p.machines
			}
		}
		e.requirements = append(e.requirements, r)
	}
	e.fit()
	e.out = map[OutKind][]*machine{}
	failed, barred, out := 0, 0, 0
	var near *machine
	for _, m := range q.machines {
		if !m.connected {
			continue
		}
		e.connected++
		isBarred, isAvoided := slices.Contains(c.barred, m.id), slices.Contains(c.avoid, m.id)
		barred += oneIf(isBarred)
		failed += oneIf(isAvoided && !isBarred)
		out += oneIf(!m.able())
		if near == nil || cmp.Or(cmp.Compare(e.lacking(m), e.lacking(near)), byID(m, near)) < 0 {
			near = m
		}
		if isBarred || !c.row.has(m.profile.index) {
			e.barred += oneIf(isBarred && c.row.has(m.profile.index))
			continue
		}
		if !m.able() {
			e.out[m.out.Why] = append(e.out[m.out.Why], m)
		}
	}
	add := func(kind string, wants farm.Text, rulesOut int) {
		if rulesOut > 0 {
			e.requirements = append(e.requirements, farm.Requirement{Kind: kind, Wants: wants, RulesOut: rulesOut})
		}
	}
	add("failed", farm.Say("a machine that has not failed it for good"), barred)
	add("avoided", farm.Say("preferably a machine that has not failed it"), failed)
	add("present", farm.Say("a machine that can get work now"), out)
	if !q.whyHeld(e.t.Team, c.need.Project).IsZero() {
		add("budget", farm.Say("machine hours that are left in a budget"), e.connected)
	}
	e.surveyLimits()
	if len(e.fitting) == 0 && near != nil {
		e.nearest = &farm.NearAgent{ID: near.id, Name: near.name, Lacks: e.lacks(near)}
	}
}

// surveyLimits counts for each limit the machines on which the task could take none.
func (e *explanation) surveyLimits() {
	for _, l := range e.c.limits {
		r := farm.Requirement{Kind: "limit", Wants: farm.Say("one of the limit '%s'", l.name)}
		for _, m := range e.q.machines {
			if m.connected && !l.admits(m, 0, 0) {
				r.RulesOut++
			}
		}
		e.requirements = append(e.requirements, r)
	}
}

func (e *explanation) lacking(m *machine) int {
	n := oneIf(slices.Contains(e.c.barred, m.id))
	for _, a := range e.c.asks {
		n += oneIf(!a.met(m.profile))
	}
	return n
}

// lacks lists what a machine is missing.
func (e *explanation) lacks(m *machine) []farm.Text {
	var lacks []farm.Text
	for _, a := range e.c.asks {
		if !a.met(m.profile) {
			lacks = append(lacks, a.wants)
		}
	}
	if slices.Contains(e.c.barred, m.id) {
		lacks = append(lacks, farm.Say("another try: it failed this task for good"))
	}
	return lacks
}

// start estimates when the task will begin; nil when unknown.
func (e *explanation) start(place int) *farm.Span {
	switch {
	case place == 0 || e.able == 0 || e.q.policy.Paused || !e.q.whyHeld(e.t.Team, e.t.Need.Project).IsZero() || !e.held().IsZero():
		return nil
	case e.untried > 0 && place <= e.untried:
		return &farm.Span{}
	}
	return e.q.pace.wait(place, e.slots)
}
