package agent

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"overcrank/farm/wire"
)

func TestAPanicEndsOneAttemptAndNotTheAgent(t *testing.T) {
	var said strings.Builder
	at := newAttempt(&agent{cfg: Config{Name: "night", DataDir: t.TempDir()}}, wire.Lease{}, &feed{}, slog.New(slog.NewTextHandler(&said, nil)))
	err := at.safely(func() error { panic("a mistake") })
	failed := at.explain(err)
	if !failed.Retry || !strings.HasPrefix(failed.Message, "Render failed on machine 'night': a fault of the agent's own: a mistake") {
		t.Errorf("the farm is told %+v", failed)
	}
	if !strings.Contains(said.String(), "attempt_test.go") {
		t.Errorf("the log does not say where: %s", said.String())
	}
	full := errors.New("disk full")
	if err := at.safely(func() error { return full }); !errors.Is(err, full) {
		t.Errorf("an error became %v", err)
	}
}

func TestWorkThatWasTakenAwayIsNoFaultOfTheMachines(t *testing.T) {
	var said strings.Builder
	at := newAttempt(&agent{cfg: Config{Name: "night", DataDir: t.TempDir()}}, wire.Lease{}, &feed{}, slog.New(slog.NewTextHandler(&said, nil)))
	if failed := at.explain(errDropped); !failed.Cancelled || strings.Contains(said.String(), "ERROR") {
		t.Errorf("the agent says %+v, and in its log: %s", failed, said.String())
	}
}
