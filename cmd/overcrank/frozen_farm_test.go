//go:build linux

package main

import (
	"encoding/json"
	"net/http"
	"syscall"
	"testing"
)

// A leader that freezes takes up connections and answers nothing. The machine that renders leaves it, and its attempt stays the only one,
// also when the one that was frozen is back.
func TestARenderLosesNothingWithALeaderThatFreezes(t *testing.T) {
	s := startSeveral(t)
	s.agents(1)
	leader, followers := s.parted()
	asked := *followers[0]
	asked.Client = s.Client
	id := asked.submitSlow(followers[0].card())
	asked.await("the job to render", func() bool {
		job, err := asked.Job(t.Context(), id)
		return err == nil && job.Status == "render:dorender" && job.Progress > 5
	})
	wake := func() { _ = leader.cmd.Process.Signal(syscall.SIGCONT) }
	t.Cleanup(wake)
	if err := leader.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	job := asked.finished(id)
	wake()
	leader.await("the one that was frozen to serve again", func() bool { return ready(t.Context(), leader.Server) == nil })
	var attempts []struct{ Attempt int }
	if err := json.Unmarshal(leader.farmAPI(http.MethodGet, "/jobs/"+job.ID+"/attempts", ""), &attempts); err != nil {
		t.Fatal(err)
	}
	if len(attempts) == 0 {
		t.Error("no attempt is known")
	}
	for _, a := range attempts {
		if a.Attempt != 1 {
			t.Errorf("something was begun a second time: %+v", attempts)
		}
	}
}
