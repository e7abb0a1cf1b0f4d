//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// makeFaulty builds the program as one whose machine can be given faults, once.
var makeFaulty = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(filepath.Dir(binary), "overcrank-faults")
	build := exec.Command("go", "build", "-tags", "faults", "-o", path, ".")
	build.Stderr = os.Stderr
	return path, build.Run()
})

// faultyFarm is a coordinator on a machine whose faults a test sets, with the agent of another machine.
func faultyFarm(t *testing.T, flags ...string) (f *runningFarm, set func(faults string)) {
	t.Helper()
	program, err := makeFaulty()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "faults")
	set = func(faults string) {
		t.Helper()
		// Whole, since it is read at any time.
		if err := os.WriteFile(path+".new", []byte(faults), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("OVERCRANK_FAULTS", path)
	f = launchProgram(t, program, "coordinator", t.TempDir(), flags...)
	f.await("the farm to be ready", func() bool { return ready(t.Context(), f.Server) == nil })
	code, token, said := f.command("agents", "invite")
	if code != 0 {
		t.Fatalf("inviting a machine: %d: %s", code, said)
	}
	w := startAgent(t, f, filepath.Join(t.TempDir(), "desk"), strings.TrimSpace(token))
	f.await("the machine to be linked", func() bool { return strings.Contains(w.said.String(), "linked to the farm") })
	return f, set
}

// clockSays waits until the farm says something of its clock.
func (f *runningFarm) clockSays(words string) {
	f.t.Helper()
	f.await("the farm to see its clock "+words, func() bool {
		for _, check := range f.says("/readyz").Checks {
			if check.Name == "clock" && check.Status == "warning" && strings.Contains(check.Found, words) {
				return true
			}
		}
		return false
	})
}

// TestARenderOutlivesWhatBefallsTheCoordinator sets the clock of the coordinator by an hour forward and back, makes its disk slow and
// then full, and freezes it, all while a machine renders one film. Its one attempt is what the job ends with.
func TestARenderOutlivesWhatBefallsTheCoordinator(t *testing.T) {
	f, set := faultyFarm(t, "--lease", "8s")
	template := f.card()
	id := f.submitWhole(template, 41)
	f.await("the job to render", func() bool {
		job, err := f.Job(t.Context(), id)
		return err == nil && job.Status != "queued"
	})
	set("clock +1h\n")
	f.clockSays("set forward by 1h")
	set("clock -1h\nsync 100ms\n")
	f.clockSays("set back by 2h")

	set("disk full\n")
	acknowledged := map[string]string{}
	f.await("the farm to take no more", func() bool {
		key := fmt.Sprint("job ", len(acknowledged))
		job, _, err := f.post(key)
		if err == nil {
			acknowledged[key] = job
		}
		return err != nil && strings.HasPrefix(err.Error(), "503 ")
	})
	if job, err := f.Job(t.Context(), id); err != nil || job.Ended() {
		t.Errorf("on a full disk the farm shows the job as %s, %v", job.Status, err)
	}
	if r := f.says("/readyz"); r.status != 503 || !strings.Contains(r.Error, "no space left") || r.retry == "" {
		t.Errorf("on a full disk the farm says %+v", r)
	}
	set("")
	f.await("the farm to be ready again", func() bool { return ready(t.Context(), f.Server) == nil })

	if err := f.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2500 * time.Millisecond) // less than a lease, more than a heartbeat
	if err := f.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for key, job := range acknowledged {
		if again, _, err := f.post(key); err != nil || again != job {
			t.Errorf("%s was acknowledged as job %s, and is %s, %v", key, job, again, err)
		}
	}
	f.finished(id)
	if log := f.log(id); !strings.Contains(log, "attempt 1 finished") || strings.Contains(log, "attempt 2 on") {
		t.Errorf("the render did not outlive it:\n%s", log)
	}
	if said := f.said.String(); !strings.Contains(said, "did not run for a while") || !strings.Contains(said, "no space left") {
		t.Errorf("the log does not tell what happened:\n%s", said)
	}
	f.goesOn(template)
}
