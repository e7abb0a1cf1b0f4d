package tables

import (
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func TestAJobThatRendersIsHeldOnceItsMachinesHaveFinishedWhatTheyBegan(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	job := halves(m)
	m.must(command.SetLevel{Level: command.HoldRenderingLevel, Version: "test"})
	hold := func(at int) command.HoldJobs {
		return command.HoldJobs{Team: job.Team, IDs: []string{job.ID}, At: after(at)}
	}
	lease(m, "film.1", 1, 3)
	if held := m.must(hold(4)); len(held.Tasks) != 1 || held.Tasks[0].ID != "film.2" || held.Jobs[0].Status != farm.JobRendering {
		t.Errorf("held %+v", held)
	}
	wantRefused(t, m, command.LeaseTasks{Grants: []command.Grant{{Task: "film.2", Agent: "a1", Attempt: 1}}, At: after(5)}, farm.CodeConflict)
	if rests := m.finish("film.1", 1, 6).Jobs[0]; rests.Status != farm.JobQueued || !rests.Hold || time.Duration(rests.Rendered) != 3*time.Second {
		t.Errorf("with nothing in work the job is %+v", rests)
	}
	wantShape(t, m, "render 0-4 done, render 5-9 ready, assemble 0-9 blocked")
	if released := m.must(command.ReleaseJobs{Team: job.Team, IDs: []string{job.ID}, At: after(20)}); len(released.Tasks) != 1 || released.Tasks[0].ID != "film.2" {
		t.Errorf("released %+v", released)
	}
	lease(m, "film.2", 1, 20)
	m.must(hold(21))
	m.must(command.ExpireLeases{Leases: []command.Grant{{Task: "film.2", Attempt: 1, Agent: "a1"}}, Returned: true, At: after(22)})
	if status := m.jobStatus("film"); status != farm.JobQueued {
		t.Errorf("with its last task given back the job is %s", status)
	}
	m.must(command.ReleaseJobs{Team: job.Team, IDs: []string{job.ID}, At: after(30)})
	lease(m, "film.2", 2, 30)
	m.finish("film.2", 2, 31)
	if held := m.must(hold(32)).Jobs[0]; held.Status != farm.JobQueued {
		t.Errorf("held between two tasks the job is %s", held.Status)
	}
	m.must(command.ReleaseJobs{Team: job.Team, IDs: []string{job.ID}, At: after(40)})
	lease(m, "film.3", 1, 40)
	if done := m.finish("film.3", 1, 42).Jobs[0]; done.Status != farm.JobFinished || done.RenderTime() != 9*time.Second {
		t.Errorf("the job ends as %s after %s", done.Status, done.RenderTime())
	}
}
