//go:build linux

package machines_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"
)

// TestMachinesAreLookedAfterFromTheCommandLine speaks to a farm with one machine.
func TestMachinesAreLookedAfterFromTheCommandLine(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	says := func(words string, args ...string) string {
		t.Helper()
		code, out, errs := f.Command(args...)
		if code != 0 || !strings.Contains(out, words) {
			t.Errorf("overcrank %s: exit code %d\n%s%s\nwant %q", strings.Join(args, " "), code, out, errs, words)
		}
		return out
	}
	var agents []struct{ ID, Name string }
	f.Await("the machine is there", func() bool {
		_, out, _ := f.Command("agents", "--state", "free", "--json")
		return json.Unmarshal([]byte(out), &agents) == nil && len(agents) == 1
	})
	name := agents[0].Name
	says("draw", "agents", "tag", name, "draw", "night")
	says("draw, night", "agents", "show", name)
	says("night", "agents", "tag", name, "draw", "--remove")
	says(": drained", "agents", "drain", name)
	says("1 drained", "farm")
	says("Suite 7", "agents", "rename", name, "Suite 7")

	_, id, _ := f.Command("submit", "--template", farmtest.SmallCard(t), "--composition", "Title Card", "--require-tag", "draw", "--level", "rush", "--frames", "0-20", "-q")
	job := strings.Fields(id)[0]
	says("lacks", "jobs", "why", job)
	says(job, "queue")

	watched := watchEvents(f, t, "events", "--job", job, "--json")
	says("draw", "agents", "tag", "Suite 7", "draw")
	says("Suite 7", "agents", "resume", "Suite 7")
	if code, _, errs := f.Command("jobs", "wait", job, "-q"); code != 0 {
		t.Fatalf("the job failed: %s", errs)
	}
	says("done", "jobs", "attempts", job)
	says("Suite 7", "jobs", "tasks", job)
	kinds := map[string]bool{}
	for !kinds["job"] || !kinds["task"] || !kinds["log"] {
		e, ok := <-watched
		if !ok {
			t.Fatalf("the events end after the kinds %v", kinds)
		}
		kinds[e] = true
	}
	if code, _, _ := f.Command("agents", "remove", "Suite 7", "Suite 8"); code != farmtest.ExitNotFound {
		t.Errorf("removing a machine and one that is not there ends with exit code %d", code)
	}
	says("Suite 7", "agents", "show", "Suite 7") // is there still
	says("removed", "agents", "remove", "Suite 7")
	if code, _, _ := f.Command("agents", "show", "Suite 7"); code != farmtest.ExitNotFound {
		t.Errorf("a removed machine is shown with exit code %d", code)
	}
}

// watchEvents runs a command that prints events, and gives their kinds.
func watchEvents(f *farmtest.Farm, t *testing.T, args ...string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, farmtest.Program(t), args...)
	cmd.Env = append(os.Environ(), "OVERCRANK_SERVER="+f.Server, "OVERCRANK_TOKEN_FILE="+filepath.Join(f.Dir, "admin.token"))
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kinds, done := make(chan string, 10_000), make(chan struct{})
	go func() {
		defer close(done)
		defer close(kinds)
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			var e struct{ Kind string }
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				kinds <- e.Kind
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		_ = cmd.Wait() // it was killed
	})
	if first := <-kinds; first != "open" {
		t.Fatalf("the first event is %q", first)
	}
	return kinds
}
