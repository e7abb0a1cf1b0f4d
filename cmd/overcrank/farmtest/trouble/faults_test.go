//go:build linux

package trouble_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// faultyFarm is a coordinator on a machine whose faults a test sets, with the agent of another machine.
func faultyFarm(t *testing.T, flags ...string) (f *farmtest.Farm, set func(faults string)) {
	t.Helper()
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
	program := farmtest.Under(t, farmtest.Variant(t, "faults"), "export OVERCRANK_FAULTS='"+path+"'")
	f = farmtest.LaunchProgram(t, program, "coordinator", t.TempDir(), flags...)
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	code, token, said := f.Command("agents", "invite")
	if code != 0 {
		t.Fatalf("inviting a machine: %d: %s", code, said)
	}
	w := farmtest.StartAgent(t, f, filepath.Join(t.TempDir(), "desk"), strings.TrimSpace(token))
	f.Await("the machine to be linked", func() bool { return strings.Contains(w.Said.String(), "linked to the farm") })
	return f, set
}

// clockSays waits until the farm says something of its clock.
func clockSays(f *farmtest.Farm, words string) {
	f.T.Helper()
	f.Await("the farm to see its clock "+words, func() bool {
		for _, check := range says(f, "/readyz").Checks {
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
	t.Parallel()
	f, set := faultyFarm(t, "--lease", "20s")
	template := f.Card()
	id := f.SubmitWhole(template, titlecard.Frames)
	f.Await("the job to render", func() bool {
		job, err := f.Job(t.Context(), id)
		return err == nil && job.Status != "queued"
	})
	set("clock +1h\n")
	clockSays(f, "set forward by 1 h")
	set("clock -1h\nsync 100ms\n")
	clockSays(f, "set back by 2 h")

	set("disk full\n")
	acknowledged := map[string]string{}
	f.Await("the farm to take no more", func() bool {
		key := fmt.Sprint("job ", len(acknowledged))
		job, _, err := post(f, key)
		if err == nil {
			acknowledged[key] = job
		}
		return err != nil && strings.HasPrefix(err.Error(), "503 ")
	})
	if job, err := f.Job(t.Context(), id); err != nil || job.Status.Ended() {
		t.Errorf("on a full disk the farm shows the job as %s, %v", job.Status, err)
	}
	f.Await("the farm to say that its disk is full", func() bool {
		r := says(f, "/readyz")
		return r.status == 503 && strings.Contains(r.Error, "no space left") && r.retry != ""
	})
	set("")
	f.Await("the farm to be ready again", func() bool { return client.Ready(t.Context(), f.Server) == nil })

	if err := f.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(6 * time.Second) // less than a lease, more than a quarter of it, which counts as frozen
	if err := f.Cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	f.Await("the farm to be ready once more", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	for key, job := range acknowledged {
		if again, _, err := post(f, key); err != nil || again != job {
			t.Errorf("%s was acknowledged as job %s, and is %s, %v", key, job, again, err)
		}
	}
	f.Finished(id)
	f.Await("the log to tell of the end", func() bool { return strings.Contains(f.LogOf(id), "finished:") })
	if log := f.LogOf(id); !strings.Contains(log, "attempt 1 finished") || strings.Contains(log, "attempt 2 on") {
		t.Errorf("the render did not outlive it:\n%s", log)
	}
	if said := f.Said.String(); !strings.Contains(said, "did not run for a while") || !strings.Contains(said, "no space left") {
		t.Errorf("the log does not tell what happened:\n%s", said)
	}
	f.GoesOn(template)
}
