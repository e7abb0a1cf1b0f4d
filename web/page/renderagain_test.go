package page

import (
	"slices"
	"testing"
	"time"

	"overcrank/farm"
)

func TestRunsSayWhoRenderedWhichFrames(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tasks := map[string]farm.Task{
		"j.1": {ID: "j.1", Kind: farm.TaskRender, Part: true, Parts: []farm.TaskPart{{Frames: farm.Frames{Start: 24, End: 30}, Attempt: 1}, {Frames: farm.Frames{Start: 31, End: 40}, Attempt: 2}}},
		"j.2": {ID: "j.2", Kind: farm.TaskRender, Part: true, Frames: &farm.Frames{Start: 35, End: 36}},
		"j.3": {ID: "j.3", Kind: farm.TaskAssemble, Frames: &farm.Frames{Start: 24, End: 40}},
	}
	attempts := []farm.AttemptRecord{
		{Task: "j.1", Number: 1, AgentName: "suite-1", EndedAt: at, Outcome: farm.OutcomeReturned},
		{Task: "j.1", Number: 2, AgentName: "suite-2", EndedAt: at, Outcome: farm.OutcomeDone, Measured: farm.Measured{Frames: 10, FrameSeconds: 25}},
		{Task: "j.3", Number: 1, AgentName: "suite-1", EndedAt: at, Outcome: farm.OutcomeReturned},
		{Task: "j.2", Number: 1, AgentName: "suite-3"},
	}
	want := []FrameRun{
		{24, 30, "Rendered by suite-1"}, {31, 40, "Rendered by suite-2, 2.5\u00a0s per frame on average"}, {35, 36, "suite-3 renders it now"},
	}
	if got := runsOf(t.Context(), tasks, attempts, 24, 40); !slices.Equal(got, want) {
		t.Errorf("the frames were rendered so:\n%v, want\n%v", got, want)
	}
	whole := map[string]farm.Task{"k.1": {ID: "k.1", Kind: farm.TaskRender}}
	done := []farm.AttemptRecord{
		{Task: "k.1", Number: 1, AgentName: "suite-1", EndedAt: at, Outcome: farm.OutcomeFailed},
		{Task: "k.1", Number: 2, AgentName: "suite-2", EndedAt: at, Outcome: farm.OutcomeDone},
	}
	if got := runsOf(t.Context(), whole, done, 24, 40); !slices.Equal(got, []FrameRun{{24, 40, "Rendered by suite-2"}}) {
		t.Errorf("a film in one piece was rendered so: %v", got)
	}
}

func TestTheStripBeginsWithTheFirstFrameThatIsRendered(t *testing.T) {
	j := Job{Job: farm.Job{Status: farm.JobRendering, FirstFrame: 24, FramesTotal: 48}, Frame: 47, Thumbs: []int{24, 47}, Working: []farm.RunningTask{{Frame: 47}}}
	if j.FirstFrame() != 24 || j.LastFrame() != 71 {
		t.Errorf("it has the frames %d to %d", j.FirstFrame(), j.LastFrame())
	}
	slots := j.Slots()
	if first := slots[0]; first.First != 24 || first.Thumb != 24 {
		t.Errorf("the first cell is %+v", first)
	}
	if words := j.Sentence(t.Context()); words != "Frame 24 of 48" {
		t.Errorf("it stands so: %s", words)
	}
	earlier := Job{Job: farm.Job{Status: farm.JobFinished, FramesTotal: 48}, Thumbs: []int{24, 71}}
	if earlier.FirstFrame() != 24 || earlier.LastFrame() != 71 {
		t.Errorf("a job that does not say where it begins has the frames %d to %d", earlier.FirstFrame(), earlier.LastFrame())
	}
}
