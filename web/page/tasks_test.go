package page

import (
	"strings"
	"testing"

	"overcrank/farm"
)

func TestAnAttemptSaysHowManyFramesItDidNotDraw(t *testing.T) {
	for reused, want := range map[int]string{0: "", 100: "100 of 150 frames reused"} {
		var b strings.Builder
		a := farm.AttemptRecord{Number: 1, AgentName: "suite-1", Outcome: farm.OutcomeDone, Measured: farm.Measured{Frames: 150, Reused: reused, FrameSeconds: 3}}
		if err := attemptCells(a).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); strings.Contains(got, "reused") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%d reused: %s", reused, got)
		}
	}
}
