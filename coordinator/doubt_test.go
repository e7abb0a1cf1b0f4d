package coordinator_test

import (
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// TestAnotherMachineTellsWhichOneIsAtFault has a machine say of each job of a template that it cannot be rendered.
func TestAnotherMachineTellsWhichOneIsAtFault(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	bad, good := r.enrol("bad"), r.enrol("good")
	r.eventually("the farm's level is the newest", func() bool { return r.Cluster().Level() == command.NewestLevel })
	if _, err := r.ChangePolicy(t.Context(), r.admin, nil, func(p *farm.Policy) { p.Retry.SetAsideAfter = 3 }); err != nil {
		t.Fatal(err)
	}
	spoil := func() farm.Job {
		job := r.submit()
		bad.fail(bad.lease(), "no layer 'title'", false)
		return r.job(job.ID)
	}
	bad.connect()
	for range 2 {
		if job := spoil(); job.Status != farm.JobFailed {
			t.Fatalf("a job that cannot be rendered is %s", job.Status)
		}
	}
	job := spoil()
	if job.Status != farm.JobQueued {
		t.Fatalf("the third in a row is %s", job.Status)
	}
	good.connect()
	c.pass(time.Minute)
	bad.silent() // also when it is free
	l := good.lease()
	if l.Job != job.ID || l.Attempt.Attempt != 2 {
		t.Fatalf("leased %+v", l.Attempt)
	}
	good.finish(l, "a film")
	if got := r.job(job.ID).Status; got != farm.JobFinished {
		t.Errorf("the job is %s", got)
	}
	machine, err := r.Agent(t.Context(), r.admin, bad.agent.ID)
	if err != nil || machine.SetAside == nil || machine.SetAside.Reason != "3 jobs in a row failed for good on it, and another machine could render one of them" {
		t.Errorf("its machine is %+v, %v", machine.SetAside, err)
	}
}
