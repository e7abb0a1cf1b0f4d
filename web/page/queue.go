package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
)

// Queue is a page of the line of tasks that wait for a machine.
type Queue struct {
	Lines  []QueueLine
	Cursor string // of this page, "" for the first
	Next   string // of the next page, "" on the last
	Policy farm.Policy
	Status farm.Status
	Levels []farm.Level
	Now    time.Time
}

// QueueLine is a task in line, with why it waits when it is the reader's.
type QueueLine struct {
	farm.QueueEntry
	Why *farm.Placement // nil of another team's
}

// Mine tells whether the task is of the reader's team.
func (l QueueLine) Mine() bool { return l.Job != "" }

// title is what people call the job of the task.
func (l QueueLine) title() string {
	if l.JobName != "" {
		return l.JobName
	}
	return "Job " + l.Job
}

// WhyWord says in a word why a task waits, as a mark.
func WhyWord(p farm.Placement, paused bool) State {
	ruled := func(kind string) bool {
		return slices.ContainsFunc(p.Requirements, func(r farm.Requirement) bool {
			return r.Kind == kind && p.Agents > 0 && r.RulesOut == p.Agents
		})
	}
	switch {
	case paused:
		return State{"Paused", "held"}
	case p.Agents == 0:
		return State{"No machine", "error"}
	case p.Fitting == 0:
		return State{"None fits", "error"}
	case ruled("limit"):
		return State{"Limit full", "held"}
	case ruled("present"):
		return State{"None at work", "away"}
	case p.Start == nil:
		return State{"Held back", "held"}
	case p.Free == 0:
		return State{"All busy", "waiting"}
	}
	return State{"Next", "free"}
}

// movable tells whether the line has jobs of the reader's team that can be moved.
func (q Queue) movable() bool {
	return slices.ContainsFunc(q.Lines, QueueLine.Mine)
}

// levelWords say how a level is served.
func (q Queue) levelWords(l farm.Level) string {
	p := q.Policy.Levels[l]
	var words []string
	if p.MaxShare > 0 {
		words = append(words, fmt.Sprintf("at most %.0f %% of the farm", 100*p.MaxShare))
	}
	if len(p.Hours) > 0 {
		when := "within its hours now"
		if !farm.Within(p.Hours, q.Now) {
			when = "outside its hours now: only while nothing else wants a machine"
		}
		words = append(words, hoursText(p.Hours, ", ")+" ("+when+")")
	}
	if len(words) == 0 {
		return "Always, with all of the farm"
	}
	return kindTitle(strings.Join(words, "; "))
}

func hoursText(hours []farm.Hours, between string) string {
	lines := make([]string, len(hours))
	for i, h := range hours {
		lines[i] = h.String()
	}
	return strings.Join(lines, between)
}

// taskKindWord is what a task does, in a word.
func taskKindWord(k farm.TaskKind) string {
	switch k {
	case farm.TaskSample:
		return "First frames"
	case farm.TaskSound:
		return "Sound"
	case farm.TaskAssemble:
		return "Putting together"
	case farm.TaskJoin:
		return "Joining"
	}
	return "Render"
}
