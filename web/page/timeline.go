package page

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"overcrank/farm"
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
func TimelineOf(ctx context.Context, job farm.Job, tasks map[string]farm.Task, attempts []farm.AttemptRecord, now time.Time, left int) Timeline {
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
		t.Attempts = append(t.Attempts, TimelineAttempt{AttemptRecord: a, What: taskName(ctx, tasks[a.Task]), State: attemptState(a), Until: until})
	}
	page := Job{Job: job}
	t.Runs = runsOf(ctx, tasks, attempts, page.FirstFrame(), page.LastFrame())
	t.draw(ctx)
	return t
}

// draw makes the bars.
func (t *Timeline) draw(ctx context.Context) {
	rows := map[string]int{}
	for _, a := range t.Attempts {
		i, known := rows[a.Agent]
		if !known {
			i = len(t.Rows)
			if i == mostTimelineRows {
				i = -1
				t.Machines++
			} else {
				t.Rows = append(t.Rows, TimelineRow{Agent: a.Agent, Name: agentWord(ctx, a.AgentName, a.Agent)})
			}
			rows[a.Agent] = i
		}
		if i >= 0 {
			t.Rows[i].Bars = append(t.Rows[i].Bars, t.bar(a.LeasedAt, a.Until, a.State.Class, a.words(ctx)))
		}
	}
	at := t.From
	for _, a := range t.Attempts {
		t.wait(ctx, at, a.LeasedAt)
		if a.Until.After(at) {
			at = a.Until
		}
	}
	if t.Left == 0 && t.Now {
		t.wait(ctx, at, t.To)
	}
}

// wait adds a stretch of time in which no machine worked on the job.
func (t *Timeline) wait(ctx context.Context, from, to time.Time) {
	if to.Sub(from) < time.Second {
		return
	}
	t.Waits = append(t.Waits, t.bar(from, to, "waiting", say(ctx, "Waited %s", inWords(ctx).Duration(to.Sub(from)))))
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
func (a TimelineAttempt) words(ctx context.Context) string {
	s := say(ctx, "%s, attempt %d: %s, %s", a.What, a.Number, a.State.Said(ctx), inWords(ctx).Duration(a.Until.Sub(a.LeasedAt)))
	if a.Message != "" {
		s += ". " + sentence(clip(failure(ctx, a.Message)))
	}
	return s
}

// Words say what the timeline shows.
func (t Timeline) Words(ctx context.Context) string {
	failed, drawn := 0, farm.Measured{}
	for _, a := range t.Attempts {
		if a.State.Class == "error" {
			failed++
		}
		if a.Outcome == farm.OutcomeDone {
			drawn.Frames += a.Measured.Frames
			drawn.Reused += a.Measured.Reused
		}
	}
	s := many(ctx, len(t.Attempts), "%d attempt on %s", "%d attempts on %s", many(ctx, len(t.Rows)+t.Machines, "%d machine", "%d machines"))
	s = say(ctx, "%s in %s", s, t.lasted(ctx))
	if failed > 0 {
		s += ", " + many(ctx, failed, "%d failed", "%d failed")
	}
	if reused := reusedFrames(ctx, drawn); reused != "" {
		s += ", " + reused
	}
	return s
}

// lasted is how long it is from the left end to the right.
func (t Timeline) lasted(ctx context.Context) string {
	d := t.To.Sub(t.From)
	if d > 10*time.Second {
		d = d.Round(time.Second)
	}
	return inWords(ctx).Duration(d)
}
