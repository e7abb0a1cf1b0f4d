//go:build linux

package machines_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"

	"overcrank/agent/control"
	"overcrank/cmd/overcrank/titlecard"
	"overcrank/farm"
)

// atDesk runs a command of the agent of a desk, and again where the agent stands still for longer than commands wait for it.
func atDesk(f *farmtest.Farm, desk string, args ...string) control.Status {
	f.T.Helper()
	var code int
	var stdout, stderr string
	f.Await("the agent to answer", func() bool {
		code, stdout, stderr = f.Command(append(append([]string{"agent"}, args...), "--config", os.DevNull, "--data-dir", desk, "--json")...)
		return code == 0 || !strings.Contains(stderr, context.DeadlineExceeded.Error())
	})
	var status control.Status
	if err := json.Unmarshal([]byte(stdout), &status); err != nil || code != 0 {
		f.T.Fatalf("%v ends with %d and says %s%s: %v", args, code, stdout, stderr, err)
	}
	return status
}

// allFree waits until the farm knows of so many machines that they are free: a film is split among those.
func allFree(f *farmtest.Farm, machines int) {
	f.T.Helper()
	f.Await("the machines to be free", func() bool {
		list, err := f.Agents(f.T.Context(), "free", "")
		return err == nil && len(list.Items) == machines
	})
}

// TestTheArtistsProgramTakesTheMachineBack goes through a day at a desk with real programs: an artist's program starts while the
// machine renders, its part of the film goes to the other machine with the frames that are done, and the desk is left alone until
// the program ends; then a pause and a window of the week keep it for its owner.
func TestTheArtistsProgramTakesTheMachineBack(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	code, token, said := f.Command("agents", "invite", "--uses", "2")
	if code != 0 {
		t.Fatalf("%d: %s", code, said)
	}
	token = strings.TrimSpace(token)
	desk, other := filepath.Join(t.TempDir(), "desk"), filepath.Join(t.TempDir(), "other")
	program := artistsProgram("paint")
	settings := farmtest.Configuration(t, "idle-after: 0s\nprograms: ["+program+"]\n")
	// Frames that wait leave both machines the time that a film needs, however fast their processor is, and take none of it.
	slow := farmtest.Under(t, farmtest.Program(t), "export OVERCRANK_PACE_FRAME=200ms")
	farmtest.StartAgentOf(t, slow, f, desk, token, "--config", settings)
	farmtest.StartAgentOf(t, slow, f, other, token)
	for _, dir := range []string{desk, other} {
		f.Await(dir+" to be linked", func() bool {
			status, err := control.Ask(t.Context(), dir)
			return err == nil && status.Linked
		})
	}
	f.Await("the desk to be free", func() bool {
		status := atDesk(f, desk, "status")
		return status.Name == "desk" && status.Presence.Presence == farm.PresenceFree && len(status.Working) == 0
	})

	template := f.Card()
	allFree(f, 2)
	id := f.SubmitCard(template, nil)
	f.Await("both machines to render, and the desk to have frames", func() bool {
		if job, err := f.Job(t.Context(), id); err == nil && job.Status.Ended() { // before anybody looked
			id = f.SubmitCard(template, nil)
		}
		if len(farmtest.Processes(desk, "aerender")) == 0 || len(farmtest.Processes(other, "aerender")) == 0 {
			return false
		}
		status := atDesk(f, desk, "status")
		return len(status.Working) > 0 && status.Working[0].Phase == "rendering" && status.Working[0].Progress > 15
	})
	paint := startArtistsProgram(t, program)
	began := time.Now()
	f.Await("the engine to leave the desk", func() bool { return len(farmtest.Processes(desk, "aerender")) == 0 })
	gone := time.Since(began)
	f.Await("the desk to be left", func() bool {
		status := atDesk(f, desk, "status")
		return status.Presence.Presence == farm.PresenceAway && status.Presence.Reason == program+" is running" && len(status.Working) == 0
	})
	t.Logf("after the artist's program had started, the engine was gone within %v and the task given back within %v", gone.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	f.Await("the farm to show the artist", func() bool {
		_, table, _ := f.Command("agents", "list")
		return strings.Count(table, "artist at work") == 1
	})
	job := f.Finished(id)
	log := f.LogOf(id)
	if !strings.Contains(log, "Given back by machine 'desk': "+program+" is running") || !strings.Contains(log, " stay") {
		t.Errorf("the log does not tell that frames stayed:\n%s", log)
	}
	if _, _, _, frames, _ := farmtest.Probe(t, f.Fetch(job)); frames != titlecard.Frames {
		t.Errorf("the film has %d frames, want %d", frames, titlecard.Frames)
	}
	if len(farmtest.Processes(desk, "aerender")) > 0 {
		t.Error("an engine runs beside the artist's program")
	}
	f.Await("the farm's list of machines to say why", func() bool {
		return strings.Contains(string(f.FarmAPI(http.MethodGet, "/agents", "")), `"reason":"`+program+` is running"`)
	})

	if err := paint.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	free := func() bool { return atDesk(f, desk, "status").Presence.Presence == farm.PresenceFree }
	f.Await("the desk to be free", free)
	asked := time.Now()
	if status := atDesk(f, desk, "pause", "--for", "1h"); !status.Pause.On || status.Pause.Until.Sub(asked) < 59*time.Minute {
		t.Errorf("%+v", status)
	}
	f.Await("the desk to be paused", func() bool { return atDesk(f, desk, "status").Presence.Reason == "paused by somebody at the machine" })
	if status := atDesk(f, desk, "resume"); status.Pause.On {
		t.Errorf("%+v", status)
	}
	f.Await("the desk to be free", free)

	later := time.Now().Add(2 * time.Hour)
	window := later.Format("15:04") + "-" + later.Add(time.Hour).Format("15:04")
	if err := os.WriteFile(settings, []byte("idle-after: 0s\nhours: ["+window+"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Await("the desk to keep its hours", func() bool {
		now := atDesk(f, desk, "status").Presence
		return now.Reason == "outside its hours ("+window+")" && now.Until.Local().Format("15:04") == later.Format("15:04")
	})
}

// artistsProgram is the name of a program that a test starts as an artist would. Agents look for it on the whole machine: tests beside each other need
// different names, also those of another checkout.
func artistsProgram(does string) string { return fmt.Sprintf("%s-%d", does, os.Getpid()) }

// startArtistsProgram starts a program of that name.
func startArtistsProgram(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no sleep to copy")
	}
	b, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), name)
	farmtest.WriteProgram(t, program, b)
	cmd := exec.Command(program, "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is killed
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return cmd
}
