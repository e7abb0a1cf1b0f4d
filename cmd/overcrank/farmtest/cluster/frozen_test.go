//go:build linux

package cluster_test

import (
	"encoding/json"
	"net/http"
	"syscall"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
)

// A leader that freezes takes up connections and answers nothing. The machine that renders leaves it, and its attempt stays the only one,
// also when the one that was frozen is back.
func TestARenderLosesNothingWithALeaderThatFreezes(t *testing.T) {
	t.Parallel()
	s := farmtest.StartSeveral(t)
	s.Agents(1)
	leader, followers := s.Parted()
	asked := *followers[0]
	asked.Client = s.Client
	id := asked.SubmitSlow(followers[0].Card())
	asked.Await("the job to render", func() bool {
		job, err := asked.Job(t.Context(), id)
		return err == nil && (job.Status == "render:dorender" && job.Progress > 5 || job.Status.Ended())
	})
	wake := func() { _ = leader.Cmd.Process.Signal(syscall.SIGCONT) }
	t.Cleanup(wake)
	if err := leader.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	job := asked.Finished(id)
	wake()
	leader.Await("the one that was frozen to serve again", func() bool { return client.Ready(t.Context(), leader.Server) == nil })
	var attempts []struct{ Attempt int }
	if err := json.Unmarshal(leader.FarmAPI(http.MethodGet, "/jobs/"+job.ID+"/attempts", ""), &attempts); err != nil {
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
