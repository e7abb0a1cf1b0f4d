package presence

import (
	"errors"
	"log/slog"
	"os/exec"
	"testing"
	"time"
)

func TestOnlyProgramsOfOursThatAreMeantAreEnded(t *testing.T) {
	ours, other := exec.Command("sleep", "300"), exec.Command("sleep", "300")
	for _, cmd := range []*exec.Cmd{ours, other} {
		if err := cmd.Start(); err != nil {
			t.Skip("no program to be ended:", err)
		}
	}
	var exit *exec.ExitError
	defer func() {
		if err := errors.Join(other.Process.Kill(), other.Wait()); !errors.As(err, &exit) {
			t.Error(err)
		}
	}()
	began := time.Now()
	desk := &shownDesk{}
	desk.show(Sight{Processes: []Process{
		{PID: ours.Process.Pid, Name: "After Effects", Started: began.Add(time.Second)},
		{PID: other.Process.Pid, Name: "After Effects", Started: began.Add(-time.Hour)}, // an artist's
	}}, nil)
	w := NewWatch(desk, Rules{}, Pause{}, slog.New(slog.DiscardHandler))
	defer w.Expect("After Effects*")()
	if err := w.End(t.Context(), "AfterFX*"); err != nil {
		t.Fatal(err)
	}
	if err := w.End(t.Context(), "AfterFX*", "After Effects*"); err != nil {
		t.Fatal(err)
	}
	if err := ours.Wait(); !errors.As(err, &exit) {
		t.Errorf("the farm's ended with %v", err)
	}
}
