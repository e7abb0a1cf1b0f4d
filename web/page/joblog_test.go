package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

func TestALogHasASectionForEachPhase(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	attempts := []farm.AttemptRecord{
		{Number: 1, Agent: "a", AgentName: "suite-1", LeasedAt: at, EndedAt: at.Add(20 * time.Second), Measured: farm.Measured{FetchSeconds: 2, StartSeconds: 3}},
		{Number: 2, Agent: "a", AgentName: "suite-1", LeasedAt: at.Add(30 * time.Second)},
	}
	lines := []string{
		"agent: attempt 1 on suite-1", "agent: fetching the project, 3 KiB", "agent: composition 'main', 5 assets", "ERROR: the font <Inter> is missing", "attempt 1 failed: no font",
		"agent: attempt 2 on suite-1", "agent: this machine has the project unpacked", "agent: rendering with After Effects", "PROGRESS: 1", "WARNING: slow", "PROGRESS: 2", "agent: putting 3 frames together", "agent: the film is whole: 3 frames",
	}
	log := LogOf(t.Context(), farm.Job{ID: "j"}, lines, 0, attempts)
	var got []string
	for _, s := range log.Sections {
		got = append(got, fmt.Sprintf("%s %s %d/%d %t", s.Title, s.Took, s.Errors, len(s.Lines), s.Open))
	}
	want := []string{
		"Attempt 1 on suite-1 20\u00a0s 0/1 false", "Footage 2.0\u00a0s 0/1 false", "Open 3.0\u00a0s 2/3 true", "Attempt 2 on suite-1  0/1 false", "Footage  0/1 false", "Open  0/1 false",
		"Render  0/3 false", "Encode  0/1 false", "Check  0/1 true",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the sections are\n%s", strings.Join(got, "\n"))
	}
	log.Cure = &FailureGroup{FailureGroup: farm.FailureGroup{Cause: farm.Cause{Kind: farm.CauseFont, Subject: "Inter"}, Count: 1}}
	var b strings.Builder
	if err := LogPart(log).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if page := b.String(); strings.Count(page, "See how to fix it") != 1 || !strings.Contains(page, `no font
</span> <span class="cure">`) || !strings.Contains(page, "the font &lt;Inter&gt; is missing") {
		t.Errorf("the log is drawn as %s", page)
	}
}

// TestAnErrorThatIsPassedOnCountsOnce has engine, agent and farm say the same of one attempt.
func TestAnErrorThatIsPassedOnCountsOnce(t *testing.T) {
	const why = "Could not read from source: missing footage 'nm.png', used by layer 'Logo' in composition 'main'."
	lines := []string{
		"agent: attempt 1 on suite-1", "aerender ERROR: " + why, "agent: Render failed: the embedded engine exited with code 7: " + why,
		"attempt 1 failed: Render failed: the embedded engine exited with code 7: " + why, "the job failed: Render failed: the embedded engine exited with code 7: " + why,
	}
	errors := func(lines []string) int {
		return LogOf(t.Context(), farm.Job{}, lines, 0, []farm.AttemptRecord{{Number: 1, Agent: "a", AgentName: "suite-1"}}).Sections[0].Errors
	}
	if got := errors(lines); got != 1 {
		t.Errorf("one failure is said to be %d errors", got)
	}
	if got := errors(append(lines, "ERROR: a font is missing", "WARNING: slow")); got != 2 {
		t.Errorf("with one more there are said to be %d", got)
	}
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("ERROR: frame %d", i))
	}
	if got := errors(lines); got != 101 {
		t.Errorf("with a hundred more there are said to be %d", got)
	}
}

func TestMachinesThatWorkAtTheSameTimeShareASection(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	attempts := []farm.AttemptRecord{{Number: 1, Agent: "a", LeasedAt: at, EndedAt: at.Add(time.Minute)}, {Number: 1, Agent: "b", LeasedAt: at.Add(time.Second)}}
	log := LogOf(t.Context(), farm.Job{}, []string{"agent: attempt 1 on a", "agent: attempt 1 on b", "PROGRESS: 1"}, 0, attempts)
	if len(log.Sections) != 1 || len(log.Sections[0].Lines) != 3 || !log.Sections[0].Open {
		t.Errorf("the sections are %+v", log.Sections)
	}
	if LogTurns("PROGRESS: 1") || LogTurns("a line") || !LogTurns("agent: attempt 12 on suite 4") || !LogTurns("agent: uploading 3 KiB") || LogTurns("agent: attempt x on y") {
		t.Error("what begins a section is told wrongly")
	}
}
