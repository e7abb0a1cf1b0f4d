package aerender

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"overcrank/memory"
)

func TestARunThatTakesTooMuchMemoryIsEnded(t *testing.T) {
	if memory.Total() == 0 {
		t.Skip("how much memory this machine has is not known")
	}
	project := lay(t, sample())
	script := put(t, filepath.Join(filepath.Dir(project), "endless.jsx"), "for (;;) {}")
	before := debug.SetMemoryLimit(-1)
	code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", filepath.Join(t.TempDir(), "still.png"),
		"-r", script, "-mem_usage", "50", "0.001")
	if code != exitRender {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	has(t, out, "aerender ERROR: After Effects error: out of memory: the engine needs more than the ")
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("the garbage collector's limit was %d and is %d", before, after)
	}
}

// Both ways to the end of a program that does not end by itself.
func TestAProgramThatStaysBeyondItsMemoryIsGivenUp(t *testing.T) {
	for name, g := range map[string]*memoryGuard{
		"far beyond": {limit: 1, slack: 1, grace: math.MaxInt64},
		"for long":   {limit: 1, slack: math.MaxInt64 - 1, grace: time.Nanosecond},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var given error
		g.cancel, g.quit, g.giveUp = cancel, make(chan struct{}), func(err error) { given = err }
		g.watch()
		if !errors.Is(given, errMemory) || !errors.Is(context.Cause(ctx), errMemory) {
			t.Errorf("%s: given up with %v, cancelled with %v", name, given, context.Cause(ctx))
		}
	}
}

func TestMemoryIsAShareOfTheMachines(t *testing.T) {
	total := memory.Total()
	for percent, want := range map[float64]float64{0: 0.8, 50: 0.5, 100: 1, 400: 1} {
		if got := memoryLimit(percent); math.Abs(float64(got)-want*float64(total)) > 1 {
			t.Errorf("%g %% of %d is %d", percent, total, got)
		}
	}
	if total > 0 && usedMemory() > total {
		t.Error("this test takes more memory than there is")
	}
}
