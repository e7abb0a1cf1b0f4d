package attempt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"

	"overcrank/farm/wire"
)

func TestAPanicEndsOneAttemptAndNotTheAgent(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	at := newAttempt(&Machine{Name: "night", WorkDir: t.TempDir()}, wire.Lease{}, &Feed{}, slog.New(slog.NewTextHandler(&said, nil)))
	err := at.safely(func() error { panic("a mistake") })
	failed := at.explain(err)
	if !failed.Retry || !strings.HasPrefix(failed.Message, "Render failed on machine 'night': a fault of the agent's own: a mistake") {
		t.Errorf("the farm is told %+v", failed)
	}
	if !strings.Contains(said.String(), "report_test.go") {
		t.Errorf("the log does not say where: %s", said.String())
	}
	full := errors.New("disk full")
	if err := at.safely(func() error { return full }); !errors.Is(err, full) {
		t.Errorf("an error became %v", err)
	}
}

// TestAnAttemptThatWasTakenAwayHasNoReport, and is no fault of the machine's.
func TestAnAttemptThatWasTakenAwayHasNoReport(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	at := newAttempt(&Machine{Name: "night", WorkDir: t.TempDir()}, wire.Lease{}, &Feed{}, slog.New(slog.NewTextHandler(&said, nil)))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrDropped)
	if end := at.end(ctx, delivered{}, errors.New("context canceled")); !end.Dropped || end.Report != (wire.Message{}) || strings.Contains(said.String(), "ERROR") {
		t.Errorf("it ended with %+v, and in the log: %s", end, said.String())
	}
}

func TestFullDiskIsSaidAndTriedElsewhere(t *testing.T) {
	t.Parallel()
	a := newAttempt(&Machine{Name: "m1"}, wire.Lease{}, &Feed{wake: func() {}}, slog.New(slog.DiscardHandler))
	failed := a.explain(fmt.Errorf("copying the project: %w", &os.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}))
	if failed.Message != "Render failed: the disk of machine 'm1' is full" || !failed.Retry {
		t.Fatalf("%+v", failed)
	}
}
