package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

func TestATimelineShowsAttemptsAndWaits(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	after := func(seconds int) time.Time { return at.Add(time.Duration(seconds) * time.Second) }
	job := farm.Job{ID: "j", Status: farm.JobFinished, CreatedAt: at, FinishedAt: after(100)}
	tasks := map[string]farm.Task{"j.0": {ID: "j.0", Kind: farm.TaskRender}}
	attempts := []farm.AttemptRecord{
		{Task: "j.0", Number: 2, Agent: "b", AgentName: "suite-2", LeasedAt: after(60), EndedAt: after(100), Outcome: farm.OutcomeDone, Measured: farm.Measured{Frames: 150, Reused: 100}},
		{Task: "j.0", Number: 1, Agent: "a", AgentName: "suite <1>", LeasedAt: after(20), EndedAt: after(40), Outcome: farm.OutcomeFailed, Message: "render failed", Measured: farm.Measured{Frames: 90, Reused: 90}},
	}
	line := TimelineOf(t.Context(), job, tasks, attempts, after(500), 0)
	if len(line.Rows) != 2 || line.Rows[0].Name != "suite <1>" || line.Rows[0].Bars[0].X != "200.00" || line.Rows[0].Bars[0].Width != "200.00" || line.Rows[0].Bars[0].Class != "error" {
		t.Errorf("the first machine's row is %+v", line.Rows)
	}
	if len(line.Waits) != 2 || line.Waits[0].X != "0.00" || line.Waits[0].Width != "200.00" || line.Waits[1].X != "400.00" {
		t.Errorf("it waited %+v", line.Waits)
	}
	if w := line.Words(t.Context()); w != "2 attempts on 2 machines in 1\u00a0min 40\u00a0s, 1 failed, 100 of 150 frames reused" {
		t.Errorf("in words: %s", w)
	}
	var b strings.Builder
	if err := TimelinePart(line).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"suite &lt;1&gt;", "The whole film, attempt 1: Failed, 20\u00a0s", "Timeline as a table", "Waited 20\u00a0s", `<th scope="col">Machine</th>`} {
		if !strings.Contains(b.String(), w) {
			t.Errorf("the timeline does not say %q: %s", w, b.String())
		}
	}
}

func TestATimelineIsBoundedAndGoesOnToNow(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var attempts []farm.AttemptRecord
	for i := range 3000 {
		attempts = append(attempts, farm.AttemptRecord{Task: "t", Number: 1, Agent: fmt.Sprint(i % 100), LeasedAt: at.Add(time.Duration(i) * time.Second)})
	}
	line := TimelineOf(t.Context(), farm.Job{Status: farm.JobRendering, CreatedAt: at}, nil, attempts, at.Add(time.Hour), 7)
	if len(line.Attempts) != mostTimelineBars || len(line.Rows) != mostTimelineRows || line.Machines != 60 || !line.Now || !line.To.Equal(at.Add(time.Hour)) {
		t.Errorf("%d attempts on %d machines and %d more until %s", len(line.Attempts), len(line.Rows), line.Machines, line.To)
	}
	if empty := TimelineOf(t.Context(), farm.Job{Status: farm.JobQueued, CreatedAt: at}, nil, nil, at, 0); len(empty.Rows) != 0 || len(empty.Waits) != 0 {
		t.Errorf("of a job that nobody has begun: %+v", empty)
	}
}
