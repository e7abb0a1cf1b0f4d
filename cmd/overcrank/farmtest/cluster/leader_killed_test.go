//go:build linux

package cluster_test

import (
	"os"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

func TestRendersGoOnWhenTheLeaderIsKilled(t *testing.T) {
	t.Parallel()
	s := farmtest.StartSeveral(t)
	s.Agents(3)
	leader, followers := s.Parted()
	template := followers[0].Card()
	var ids []string
	submit := func() {
		for _, n := range s.Nodes {
			ids = append(ids, n.SubmitWhole(template, titlecard.Frames))
		}
	}
	submit()
	reached := map[string]float64{}
	look := func(n *client.Client, id string) client.Job {
		job, err := n.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if job.Progress < reached[id] {
			t.Errorf("the progress of job %s fell from %.1f to %.1f", id, reached[id], job.Progress)
		}
		reached[id] = job.Progress
		return job
	}
	s.Await("a job to be half-way", func() bool {
		over := 0
		for _, id := range ids {
			job := look(followers[0].Client, id)
			if job.Status == "render:dorender" && job.Progress >= 5 {
				return true
			}
			if job.Status.Ended() {
				over++
			}
		}
		if over == len(ids) { // before anybody looked
			submit()
		}
		return false
	})
	leader.Kill()
	// A caller who knows the survivors, or all, notices nothing but a moment's wait.
	for _, id := range ids {
		s.Await("job "+id+" to end", func() bool { return look(followers[0].Client, id).Status.Ended() })
		job, err := s.Job(t.Context(), id)
		if err != nil || job.Status != "finished" {
			t.Fatalf("job %s is %+v, %v", id, job, err)
		}
		var attempts []struct {
			Attempt int
			Outcome string
		}
		s.Read(followers[1], "/jobs/"+id+"/attempts", &attempts)
		if len(attempts) != 1 || attempts[0].Attempt != 1 {
			t.Errorf("job %s took the attempts %+v, want the one that ran all along", id, attempts)
		}
		s.Await("the log to tell of the end", func() bool { return strings.Contains(followers[1].LogOf(id), "attempt 1 finished") })
		if log := followers[1].LogOf(id); strings.Count(log, "attempt 1 finished") != 1 || strings.Contains(log, "attempt 2") {
			t.Errorf("the log of job %s:\n%s", id, log)
		}
		if _, err := os.Stat(followers[0].Fetch(job)); err != nil {
			t.Error(err)
		}
	}
}
