package page

import (
	"context"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
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
	Title string          // of its job, "" of another team's
	By    string          // who submitted it, "" of another team's
	Why   *farm.Placement // nil of another team's
}

// Mine tells whether the task is of the reader's team.
func (l QueueLine) Mine() bool { return l.Job != "" }

// WhyWord says in a word why a task waits, as a mark.
func WhyWord(p farm.Placement, paused bool) State {
	ruled := func(kind string) bool {
		return slices.ContainsFunc(p.Requirements, func(r farm.Requirement) bool {
			return r.Kind == kind && p.Agents > 0 && r.RulesOut == p.Agents
		})
	}
	switch {
	case paused:
		return State{language.Text("paused"), "held"}
	case p.Agents == 0:
		return State{language.Text("no machine"), "error"}
	case p.Fitting == 0:
		return State{language.Text("none fits"), "error"}
	case ruled("limit"):
		return State{language.Text("limit full"), "held"}
	case ruled("present"):
		return State{language.Text("none at work"), "away"}
	case p.Start == nil:
		return State{language.Text("held back"), "held"}
	case p.Free == 0:
		return State{language.Text("all busy"), "waiting"}
	}
	return State{language.Text("next"), "free"}
}

// movable tells whether the line has jobs of the reader's team that can be moved.
func (q Queue) movable() bool {
	return slices.ContainsFunc(q.Lines, QueueLine.Mine)
}

// levelWords say how a level is served.
func (q Queue) levelWords(ctx context.Context, l farm.Level) string {
	p := q.Policy.Levels[l]
	var words []string
	if limited(p) {
		words = append(words, say(ctx, "at most %.0f %% of the farm", 100*p.MaxShare))
	}
	if len(p.Hours) > 0 {
		when := say(ctx, "within its hours now")
		if !farm.Within(p.Hours, q.Now) {
			when = say(ctx, "outside its hours now: only while nothing else wants a machine")
		}
		words = append(words, hoursSaid(ctx, p.Hours)+" ("+when+")")
	}
	if len(words) == 0 {
		return say(ctx, "Always, with all of the farm")
	}
	return wording.Title(strings.Join(words, "; "))
}

// limited tells whether a level may have less than all of the farm.
func limited(p farm.LevelPolicy) bool { return p.MaxShare > 0 && p.MaxShare < 1 }

// rulesOf are the hours of a level, by the clock of now.
func rulesOf(p farm.LevelPolicy, now time.Time) farm.WorkRules {
	_, offset := now.Zone()
	return farm.WorkRules{Hours: p.Hours, ZoneOffset: offset / 60}
}

// hoursSaid are windows of the week in the reader's words: "Mon–Fri 19:00–08:00".
func hoursSaid(ctx context.Context, hours []farm.Hours) string {
	said := make([]string, len(hours))
	for i, h := range hours {
		_, clock, found := strings.Cut(h.String(), " ")
		if !found {
			clock = h.String()
		}
		var days []string
		for first := 0; first < len(h.Days); first++ {
			last := first
			for last+1 < len(h.Days) && h.Days[last+1] == (h.Days[last]+1)%7 {
				last++
			}
			if last-first < 2 { // two days are not a range
				last = first
			}
			word := say(ctx, weekdays[h.Days[first]])
			if last > first {
				word += "–" + say(ctx, weekdays[h.Days[last]])
			}
			days, first = append(days, word), last
		}
		said[i] = strings.TrimSpace(strings.Join(days, ", ") + " " + strings.Replace(clock, "-", "–", 1))
	}
	return strings.Join(said, "; ")
}

// HoursText are windows of the week as people type them.
func HoursText(hours []farm.Hours, between string) string {
	lines := make([]string, len(hours))
	for i, h := range hours {
		lines[i] = h.String()
	}
	return strings.Join(lines, between)
}

// taskKindWord is what a task does, in a word.
func taskKindWord(ctx context.Context, k farm.TaskKind) string {
	switch k {
	case farm.TaskSample:
		return say(ctx, "First frames")
	case farm.TaskSound:
		return say(ctx, "Sound")
	case farm.TaskAssemble:
		return say(ctx, "Putting together")
	case farm.TaskJoin:
		return say(ctx, "Joining")
	}
	return wording.Title(say(ctx, "render"))
}
