//go:build unix

package aerender

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/agent/internal/aerenderdouble"
	"overcrank/farm"
	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) {
	if aerenderdouble.Asked() {
		os.Exit(aerenderdouble.Main(os.Args[1:]))
	}
	leaktest.Main(m)
}

// request is a run of the double in one of its parts, without an output.
func request(t *testing.T, part string) Request {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start, end := 0, 24
	return Request{
		Program: []string{self}, Dir: t.TempDir(), Env: []string{aerenderdouble.Env + "=" + part},
		Project: "/p.aep", Composition: "main", Start: &start, End: &end,
		Limits: Limits{Launch: time.Minute, Open: time.Minute, Stall: time.Minute, Exit: time.Minute, Grace: 200 * time.Millisecond},
	}
}

func TestProgressRisesToTheEndInEveryDialect(t *testing.T) {
	for part, frames := range map[string]int{"normal": 25, "plain": 25, "drop": 1802, "german": 25, "french-cp1252": 25, "unordered": 25, "long-line": 25, "noise": 25, "missing-font": 25} {
		t.Run(part, func(t *testing.T) {
			req := request(t, part)
			var last Progress
			req.OnProgress = func(p Progress) {
				if p.Percent < last.Percent || p.Done < last.Done {
					t.Errorf("fell from %+v to %+v", last, p)
				}
				last = p
			}
			res, err := Run(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if res.Frames != frames || res.Expected != frames || last.Percent != 100 {
				t.Fatalf("got %+v, last progress %+v, want %d frames", res, last, frames)
			}
			if wantWarning := part == "missing-font"; wantWarning != (len(res.Warnings) == 1) {
				t.Errorf("warnings %q", res.Warnings)
			}
		})
	}
}

func TestFailuresSayWhatAProducerUnderstands(t *testing.T) {
	cases := []struct {
		part, want string
		class      farm.FailureClass
	}{
		{"crash", "Render failed: After Effects exited with code 1", farm.FailureTransient},
		{"silent-start", "Render failed: After Effects exited with code 1 before it opened the project", farm.FailureWorker},
		{"no-comp", "Composition 'main' not found", farm.FailureDeterministic},
		{"script", "Layer 'title' not found in composition 'main' (asset 2)", farm.FailureDeterministic},
		{"licence", "Render failed: After Effects exited with code 1: After Effects or one of its plug-ins got no licence on this machine", farm.FailureLicence},
		{"disk-full", "Render failed: After Effects exited with code 1: The result could not be written: the disk is full or not writable", farm.FailureWorker},
		{"version", "Render failed: After Effects exited with code 1: The file you are attempting to open was created with After Effects version 26.0.2 (Macintosh 64) and cannot be opened with this version.", farm.FailureWorker},
		{"error-exit-0", "Render failed: After Effects reported an error: internal verification failure, sorry! {preferences structure invalid}", farm.FailureWorker},
	}
	for _, c := range cases {
		t.Run(c.part, func(t *testing.T) {
			_, err := Run(t.Context(), request(t, c.part))
			var f *Failure
			if !errors.As(err, &f) || f.Message != c.want || f.Class != c.class {
				t.Fatalf("got  %+v\nwant %s, %s", err, c.want, c.class)
			}
		})
	}
}

func TestEngineThatTellsTooFewFramesIsSeen(t *testing.T) {
	res, err := Run(t.Context(), request(t, "missing"))
	if err != nil || res.Frames != 12 || res.Expected != 25 {
		t.Fatalf("%+v, %v", res, err)
	}
}

func TestHangingEngineIsEnded(t *testing.T) {
	short := 500 * time.Millisecond
	cases := []struct {
		part   string
		limits Limits
		want   string
	}{
		{"hang-start", Limits{Launch: short}, "hung while it was starting"},
		{"hang-first", Limits{First: short, Stall: short}, "hung before the first frame"},
		{"hang-half", Limits{Stall: short}, "hung after 12 of 25 frames"},
		{"hang-end", Limits{Exit: short}, "hung after the last frame"},
	}
	for _, c := range cases {
		t.Run(c.part, func(t *testing.T) {
			req := request(t, c.part)
			req.Limits = c.limits
			_, err := Run(t.Context(), req)
			var f *Failure
			if !errors.As(err, &f) || f.Class != farm.FailureTransient || !strings.HasSuffix(f.Message, c.want) {
				t.Fatalf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestEngineThatHangsWithAWholeResultHasSucceeded(t *testing.T) {
	req := request(t, "hang-end")
	req.Limits.Exit = 300 * time.Millisecond
	req.Done = func() (bool, error) { return true, nil }
	res, err := Run(t.Context(), req)
	if err != nil || !res.Hung || res.Frames != 25 {
		t.Fatalf("%+v, %v", res, err)
	}
}

func TestWallTimeEndsARunThatStillTalks(t *testing.T) {
	req := request(t, "hang-half")
	req.Wall = 300 * time.Millisecond
	_, err := Run(t.Context(), req)
	var f *Failure
	if !errors.As(err, &f) || f.Class != farm.FailureDeterministic || !strings.Contains(f.Message, "was not done after 0.3 s") {
		t.Fatalf("got %v", err)
	}
}

func TestCancellingEndsTheEngineAlsoWhenItIsStubborn(t *testing.T) {
	stopped := errors.New("stopped by its owner")
	for _, part := range []string{"hang-half", "stubborn"} {
		t.Run(part, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			req := request(t, part)
			req.OnProgress = func(p Progress) {
				if p.Done == 12 {
					cancel(stopped)
				}
			}
			_, err := Run(ctx, req)
			if !errors.Is(err, stopped) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestChildrenThatOutliveTheEngineAreEnded(t *testing.T) {
	req := request(t, "orphan")
	note := filepath.Join(req.Dir, "child")
	req.Env = append(req.Env, aerenderdouble.EnvChild+"="+note)
	res, err := Run(t.Context(), req)
	if err != nil || res.Frames != 25 {
		t.Fatalf("%+v, %v", res, err)
	}
	b, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); alive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("child %d lives on", pid)
		}
	}
}

// alive tells whether a process runs; one that only waits to be reaped does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(b), ") Z ")
}

func TestEngineThatIsNotThereIsAFailureToTryElsewhere(t *testing.T) {
	req := request(t, "normal")
	req.Program = []string{filepath.Join(req.Dir, "none")}
	_, err := Run(t.Context(), req)
	var f *Failure
	if !errors.As(err, &f) || f.Class != farm.FailureWorker || !strings.Contains(f.Message, "could not be started") {
		t.Fatalf("got %v", err)
	}
}

func TestEveryLineIsHandedOnInOrder(t *testing.T) {
	req := request(t, "normal")
	var lines []string
	req.OnLine = func(line string) { lines = append(lines, line) }
	if _, err := Run(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 3+4+25+2 || lines[0] != "PROGRESS: Launching After Effects..." || !strings.Contains(lines[len(lines)-1], "Finished composition") {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
}
