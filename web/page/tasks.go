package page

import (
	"cmp"
	"strconv"
	"time"

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
	Counts map[farm.TaskStatus]int
	Ranges []Range // the split job as a strip; nil for one that is not split
	Next   string  // the after of the next page
	After  string
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

// RangesOf is the strip of a split job: its ranges in the order of their frames.
func RangesOf(all []Task) []Range {
	var ranges []Range
	for _, t := range all {
		if !t.Part || t.Kind != farm.TaskRender || t.Redo > 0 || len(ranges) == mostRanges {
			continue
		}
		ranges = append(ranges, rangeOf(t))
	}
	return ranges
}

func rangeOf(t Task) Range {
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
	r.Words = "Frames " + grouped(first) + " to " + grouped(last) + ": " + r.State.Word
	if t.AgentName != "" {
		r.Words += ", " + t.AgentName
	}
	if t.Failures > 0 {
		r.Words += ", failed " + grouped(t.Failures) + " " + plural(t.Failures, "time", "times") + " before"
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
func (t Tasks) Words() string {
	done, working := 0, 0
	for _, r := range t.Ranges {
		switch r.State.Class {
		case "finished":
			done++
		case "rendering":
			working++
		}
	}
	return grouped(done) + " of " + grouped(len(t.Ranges)) + " ranges done, " + grouped(working) + " rendering"
}

// TaskState is how a task's state is shown.
func TaskState(t farm.Task) State {
	state := State{Word: wording.Title(wording.Task(t.Status, t.Failures)), Class: "waiting"}
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
func taskName(t farm.Task) string {
	switch t.Kind {
	case farm.TaskSample:
		return "Preview frames"
	case farm.TaskSound:
		return "Sound"
	case farm.TaskAssemble:
		return "Putting it together"
	case farm.TaskJoin:
		return "Joining the clips"
	}
	first, last := Task{Task: t}.span()
	switch {
	case t.Redo > 0 && first == last:
		return "Frame " + grouped(first) + " again"
	case t.Redo > 0:
		return "Frames " + grouped(first) + " to " + grouped(last) + " again"
	case t.Part && first == last:
		return "Frame " + grouped(first)
	case t.Part:
		return "Frames " + grouped(first) + " to " + grouped(last)
	}
	return "The whole film"
}

// attemptState is how an attempt went.
func attemptState(a farm.AttemptRecord) State {
	state := State{Word: wording.Title(wording.Attempt(a.Outcome)), Class: "rendering"}
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
func lasted(a farm.AttemptRecord) string {
	if a.EndedAt.IsZero() {
		return ""
	}
	return wording.Duration(max(0, a.EndedAt.Sub(a.LeasedAt)))
}

// perFrame is how long a frame took, "" when that was not measured.
func perFrame(m farm.Measured) string {
	if m.Frames < 1 || m.FrameSeconds <= 0 {
		return ""
	}
	return wording.Duration(time.Duration(m.FrameSeconds/float64(m.Frames)*float64(time.Second)).Round(time.Millisecond)) + " a frame"
}

// reusedFrames is how many frames were not drawn, "" for none.
func reusedFrames(m farm.Measured) string {
	if m.Reused < 1 {
		return ""
	}
	return strconv.Itoa(m.Reused) + " of " + strconv.Itoa(m.Frames) + " frames reused"
}

func agentWord(name, id string) string { return cmp.Or(name, id, "a machine that is gone") }
