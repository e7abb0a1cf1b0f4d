package page

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"overcrank/farm"
	"overcrank/farm/wording"
)

// Task is a task with its attempts.
type Task struct {
	farm.Task
	AgentName string
	Running   *farm.RunningTask
	Attempts  []farm.AttemptRecord // nil where they are not shown
}

// severalAttempts are the task's attempts where there are several; a single one stands in the task's own line.
func (t Task) severalAttempts() []farm.AttemptRecord {
	if len(t.Attempts) < 2 {
		return nil
	}
	return t.Attempts
}

// Tasks is a job's tasks, or some of them.
type Tasks struct {
	Job    Job
	All    []Task // of the page
	Total  int
	State  string         // of those that are listed, as in the list of jobs; "" for all
	Counts map[string]int // by state
	Ranges []Range        // the split job as a strip; nil for one that is not split
	Next   string         // the after of the next page
	After  string
}

// address is that of the page of the tasks in a state, behind the task with an id where one is given.
func (t Tasks) address(state, after string) templ.SafeURL {
	query := url.Values{}
	for name, value := range map[string]string{"state": state, "after": after} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return templ.SafeURL(jobPath(t.Job.Job) + "/tasks")
	}
	return templ.SafeURL(jobPath(t.Job.Job) + "/tasks?" + query.Encode())
}

// Range is a stretch of a split job's frames, as the strip of it shows it.
type Range struct {
	Task        string
	First, Last int
	State       State
	Done        float64 // 0..1
	Words       string
}

// mostRanges is how many ranges the strip shows one by one.
const mostRanges = 400

func (t Task) isRange() bool { return t.Part && t.Kind == farm.TaskRender && t.Redo == 0 }

// InStrip are the tasks of a split job that RangesOf shows.
func InStrip(all []Task) []farm.Task {
	var tasks []farm.Task
	for _, t := range all {
		if t.isRange() && len(tasks) < mostRanges {
			tasks = append(tasks, t.Task)
		}
	}
	return tasks
}

// RangesOf is the strip of a split job: its ranges in the order of their frames, with the attempts that made them, by task.
func RangesOf(ctx context.Context, all []Task, made map[string][]farm.AttemptRecord) []Range {
	var ranges []Range
	for _, t := range all {
		if t.isRange() && len(ranges) < mostRanges {
			ranges = append(ranges, rangeOf(ctx, t, made[t.ID]))
		}
	}
	return ranges
}

func rangeOf(ctx context.Context, t Task, made []farm.AttemptRecord) Range {
	first, last := t.span()
	r := Range{Task: t.ID, First: first, Last: last, State: TaskState(t.Task)}
	due := last - first + 1
	if t.Frames != nil && t.Status != farm.TaskDone {
		due = t.Frames.Count()
	}
	r.Done = 1 - float64(due)/float64(last-first+1)
	switch {
	case t.Status == farm.TaskDone:
		r.Done = 1
	case t.Running != nil:
		r.Done += float64(due) / float64(last-first+1) * t.Running.Progress / 100
	}
	r.Words = say(ctx, "Frames %d to %d: %s", first, last, r.State.Said(ctx))
	if t.AgentName != "" && (len(made) == 0 || t.Status == farm.TaskLeased) {
		r.Words += ", " + t.AgentName
	}
	for _, a := range made {
		r.Words += ", " + agentWord(ctx, a.AgentName, a.Agent)
		if each := perFrame(ctx, a.Measured); each != "" {
			r.Words += " (" + each + ")"
		}
	}
	if t.Failures > 0 {
		r.Words += ", " + many(ctx, t.Failures, "failed %d time before", "failed %d times before")
	}
	return r
}

// span is the first and the last frame that the task ever had to render.
func (t Task) span() (first, last int) {
	if t.Frames != nil {
		first, last = t.Frames.Start, t.Frames.End
	} else if len(t.Parts) > 0 {
		first, last = t.Parts[0].Frames.Start, t.Parts[0].Frames.End
	}
	for _, p := range t.Parts {
		first, last = min(first, p.Frames.Start), max(last, p.Frames.End)
	}
	return first, max(first, last)
}

// Bar is a stretch of the strip of ranges, in hundredths of it.
type Bar struct{ From, Width, Done, Class, Words string }

// Bars are the ranges as stretches of one strip.
func (t Tasks) Bars() []Bar {
	if len(t.Ranges) == 0 {
		return nil
	}
	first, last := t.Ranges[0].First, t.Ranges[0].Last
	for _, r := range t.Ranges {
		first, last = min(first, r.First), max(last, r.Last)
	}
	total := float64(last - first + 1)
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', 3, 64) }
	bars := make([]Bar, len(t.Ranges))
	for i, r := range t.Ranges {
		width := 1000 * float64(r.Last-r.First+1) / total
		gap := min(2, width/4)
		bars[i] = Bar{
			From: number(1000 * float64(r.First-first) / total), Width: number(width - gap), Done: number((width - gap) * min(max(r.Done, 0), 1)),
			Class: r.State.Class, Words: r.Words,
		}
	}
	return bars
}

// Words say how far the ranges are.
func (t Tasks) Words(ctx context.Context) string {
	done, working := 0, 0
	for _, r := range t.Ranges {
		switch r.State.Class {
		case "finished":
			done++
		case "rendering":
			working++
		}
	}
	return say(ctx, "%d of %d ranges done", done, len(t.Ranges)) + ", " + many(ctx, working, "%d rendering", "%d rendering")
}

// TaskState is how a task's state is shown.
func TaskState(t farm.Task) State {
	state := State{Word: wording.Task(t.Status, t.Failures), Class: "waiting"}
	switch t.Status {
	case farm.TaskLeased:
		state.Class = "rendering"
	case farm.TaskDone:
		state.Class = "finished"
	case farm.TaskFailed:
		state.Class = "error"
	case farm.TaskCancelled:
		state.Class = "cancelled"
	case farm.TaskBlocked:
		state.Class = "held"
	}
	return state
}

// taskName is what a task does, as people call it.
func taskName(ctx context.Context, t farm.Task) string {
	switch t.Kind {
	case farm.TaskSample:
		return say(ctx, "Preview frames")
	case farm.TaskSound:
		return say(ctx, "Sound")
	case farm.TaskAssemble:
		return say(ctx, "Putting it together")
	case farm.TaskJoin:
		return say(ctx, "Joining the clips")
	}
	first, last := Task{Task: t}.span()
	switch {
	case t.Redo > 0 && first == last:
		return say(ctx, "Frame %d again", first)
	case t.Redo > 0:
		return say(ctx, "Frames %d to %d again", first, last)
	case t.Part && first == last:
		return say(ctx, "Frame %d", first)
	case t.Part:
		return say(ctx, "Frames %d to %d", first, last)
	}
	return say(ctx, "The whole film")
}

// attemptState is how an attempt went.
func attemptState(a farm.AttemptRecord) State {
	state := State{Word: wording.Attempt(a.Outcome), Class: "rendering"}
	switch a.Outcome {
	case farm.OutcomeDone:
		state.Class = "finished"
	case farm.OutcomeFailed, farm.OutcomeLost:
		state.Class = "error"
	case farm.OutcomeReturned:
		state.Class = "held"
	case farm.OutcomeCancelled:
		state.Class = "cancelled"
	}
	return state
}

// lasted is how long an attempt took, "" while it is under way.
func lasted(ctx context.Context, a farm.AttemptRecord) string {
	if a.EndedAt.IsZero() {
		return ""
	}
	return inWords(ctx).Duration(max(0, a.EndedAt.Sub(a.LeasedAt)))
}

// perFrame is how long a frame took, "" when that was not measured.
func perFrame(ctx context.Context, m farm.Measured) string {
	if m.Frames < 1 || m.FrameSeconds <= 0 {
		return ""
	}
	return say(ctx, "%s a frame", inWords(ctx).Duration(time.Duration(m.FrameSeconds/float64(m.Frames)*float64(time.Second)).Round(time.Millisecond)))
}

// reusedFrames is how many frames were not drawn, "" for none.
func reusedFrames(ctx context.Context, m farm.Measured) string {
	if m.Reused < 1 {
		return ""
	}
	return say(ctx, "%d of %d frames reused", m.Reused, m.Frames)
}

func agentWord(ctx context.Context, name, id string) string {
	return cmp.Or(name, id, say(ctx, "a machine that is gone"))
}
