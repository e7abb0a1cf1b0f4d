package page

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"overcrank/farm"
	"overcrank/farm/wording"
)

// Bounds of what a timeline draws.
const (
	mostTimelineRows = 40  // machines
	mostTimelineBars = 600 // attempts
)

// Timeline is when machines worked on a job, and when it waited.
type Timeline struct {
	Job      string
	From, To time.Time // To is the present while the job has not ended
	Now      bool      // the job has not ended
	Rows     []TimelineRow
	Waits    []TimelineBar // while no machine worked on it
	Attempts []TimelineAttempt
	Runs     []FrameRun // which machine rendered which frames
	Left     int        // tasks that are not drawn, being behind those that are
	Machines int        // that are not drawn
}

// TimelineRow is what one machine did for a job.
type TimelineRow struct {
	Agent, Name string
	Bars        []TimelineBar
}

// TimelineBar is a stretch of time, in thousandths of the timeline.
type TimelineBar struct{ X, Width, Class, Words string }

// TimelineAttempt is an attempt as a line of the table.
type TimelineAttempt struct {
	farm.AttemptRecord
	What  string
	State State
	Until time.Time // when it ended, or now
}

// TimelineOf puts the attempts of some of a job's tasks on a timeline. left is how many tasks there are behind these.
func TimelineOf(job farm.Job, tasks map[string]farm.Task, attempts []farm.AttemptRecord, now time.Time, left int) Timeline {
	t := Timeline{Job: job.ID, From: job.CreatedAt, To: now, Now: true, Left: left}
	if job.Status.Ended() {
		t.Now, t.To = false, cmp.Or(job.FinishedAt, job.ErrorAt, job.UpdatedAt)
	}
	attempts = slices.Clone(attempts)
	slices.SortStableFunc(attempts, func(a, b farm.AttemptRecord) int { return a.LeasedAt.Compare(b.LeasedAt) })
	for _, a := range attempts[:min(len(attempts), mostTimelineBars)] {
		until := a.EndedAt
		if until.IsZero() {
			until = now
		}
		if until.Before(a.LeasedAt) {
			until = a.LeasedAt
		}
		if until.After(t.To) {
			t.To = until
		}
		t.Attempts = append(t.Attempts, TimelineAttempt{AttemptRecord: a, What: taskName(tasks[a.Task]), State: attemptState(a), Until: until})
	}
	page := Job{Job: job}
	t.Runs = runsOf(tasks, attempts, page.FirstFrame(), page.LastFrame())
	t.draw()
	return t
}

// draw makes the bars.
func (t *Timeline) draw() {
	rows := map[string]int{}
	for _, a := range t.Attempts {
		i, known := rows[a.Agent]
		if !known {
			i = len(t.Rows)
			if i == mostTimelineRows {
				i = -1
				t.Machines++
			} else {
				t.Rows = append(t.Rows, TimelineRow{Agent: a.Agent, Name: agentWord(a.AgentName, a.Agent)})
			}
			rows[a.Agent] = i
		}
		if i >= 0 {
			t.Rows[i].Bars = append(t.Rows[i].Bars, t.bar(a.LeasedAt, a.Until, a.State.Class, a.words()))
		}
	}
	at := t.From
	for _, a := range t.Attempts {
		t.wait(at, a.LeasedAt)
		if a.Until.After(at) {
			at = a.Until
		}
	}
	if t.Left == 0 && t.Now {
		t.wait(at, t.To)
	}
}

// wait adds a stretch of time in which no machine worked on the job.
func (t *Timeline) wait(from, to time.Time) {
	if to.Sub(from) < time.Second {
		return
	}
	t.Waits = append(t.Waits, t.bar(from, to, "waiting", "Waited "+wording.Duration(to.Sub(from))))
}

func (t *Timeline) bar(from, to time.Time, class, words string) TimelineBar {
	whole := max(t.To.Sub(t.From), time.Millisecond)
	place := func(at time.Time) float64 { return 1000 * min(1, max(0, float64(at.Sub(t.From))/float64(whole))) }
	x, end := place(from), place(to)
	width := max(1.5, end-x)
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }
	return TimelineBar{X: number(min(x, 1000-width)), Width: number(width), Class: class, Words: words}
}

// words say what an attempt was, for whoever points at it.
func (a TimelineAttempt) words() string {
	s := a.What + ", attempt " + grouped(a.Number) + ": " + a.State.Word + ", " + wording.Duration(a.Until.Sub(a.LeasedAt))
	if a.Message != "" {
		s += ". " + sentence(clip(a.Message))
	}
	return s
}

// Words say what the timeline shows.
func (t Timeline) Words() string {
	failed := 0
	for _, a := range t.Attempts {
		if a.State.Class == "error" {
			failed++
		}
	}
	s := grouped(len(t.Attempts)) + " " + plural(len(t.Attempts), "attempt", "attempts") + " on " + grouped(len(t.Rows)+t.Machines) + " " + plural(len(t.Rows)+t.Machines, "machine", "machines")
	if failed > 0 {
		s += ", " + grouped(failed) + " failed"
	}
	return s + " in " + t.lasted()
}

// lasted is how long it is from the left end to the right.
func (t Timeline) lasted() string { return wording.Duration(t.To.Sub(t.From).Round(time.Second)) }
