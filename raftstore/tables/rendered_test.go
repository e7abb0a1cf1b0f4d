package tables

import (
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func TestRenderTimeIsTheTimeOfRendering(t *testing.T) {
	// The sample renders from 2 to 3, somebody approves at 10, a machine gives the rest back at 22, and another renders it from 30 to 34.
	render := func(level int) farm.Job {
		m := newRig(t, t.TempDir(), "state")
		defer m.end()
		furnish(m)
		if level > command.ClusterLevel {
			m.must(command.SetLevel{Level: level, Version: "v"})
		}
		job := film(m, func(job *farm.Job) { job.PreviewFirst, job.Approve = true, true })
		lease(m, "film.2", 1, 2)
		m.finish("film.2", 1, 3)
		m.must(command.DecideJob{Team: job.Team, ID: "film", By: "Ann", At: after(10)})
		lease(m, "film.1", 1, 20)
		m.must(command.ExpireLeases{Leases: []command.Grant{{Task: "film.1", Attempt: 1, Agent: "a1"}}, Returned: true, At: after(22)})
		lease(m, "film.1", 2, 30)
		return m.finish("film.1", 2, 34).Jobs[0]
	}
	unit := after(1).Sub(after(0))
	if job := render(command.NewestLevel); job.RenderTime() != 7*unit || !job.RenderingAt.IsZero() || !job.FinishedAt.Equal(after(34)) {
		t.Errorf("it took %s: %+v", job.RenderTime(), job)
	}
	if job := render(command.ClusterLevel); job.Rendered != 0 || !job.RenderingAt.IsZero() || job.RenderTime() != 32*unit {
		t.Errorf("as older releases have it, it took %s: %+v", job.RenderTime(), job)
	}
	if took := (farm.Job{CreatedAt: after(1), ErrorAt: after(2)}).RenderTime(); took != time.Duration(0) {
		t.Errorf("a job that never rendered took %s", took)
	}
}
