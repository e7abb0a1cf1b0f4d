package coordinator_test

import (
	"strings"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// A lease that another leader granted, and that comes into the log late, is in nobody's session: it expires in this term like any other.
func TestALeaseOfTheLeaderBeforeExpires(t *testing.T) {
	t.Parallel()
	c := newClock()
	r := open(t, c.config)
	gone := r.enrol("gone")
	job := r.submit()
	task, err := r.LeaseAsBefore(t.Context(), job.ID, gone.agent.ID)
	if err != nil {
		t.Fatal(err)
	}
	if task.Status != farm.TaskLeased || task.Attempt != 1 || task.Agent != gone.agent.ID {
		t.Fatalf("the state has the task as %+v", task)
	}
	// The leader counts from when it saw the lease, which may be later than this line.
	r.eventually("the lease expires", func() bool {
		c.pass(time.Second)
		return r.job(job.ID).Status == farm.JobQueued
	})
	if log := r.log(job.ID); !strings.Contains(log, "has not been heard of") {
		t.Errorf("the log says %q", log)
	}
}

// What a machine calls the kind of a failure becomes a label of the metrics only where the farm knows it: each new one would be kept for
// as long as the process lives.
func TestKindsOfFailureAreBoundedInTheMetrics(t *testing.T) {
	t.Parallel()
	r := open(t)
	s := r.enrol("box")
	s.connect()
	for _, class := range []farm.FailureClass{"made up", "made up too", farm.FailureWorker} {
		r.submit()
		l := s.lease()
		s.say(wire.Message{Failed: &wire.Failed{Attempt: l.Attempt, Message: "no", Class: class}})
		s.settled(l.Attempt)
	}
	families, err := r.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := 0.0
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if strings.Contains(label.GetValue(), "made up") {
					t.Errorf("%s has the label %s=%q", family.GetName(), label.GetName(), label.GetValue())
				}
				if label.GetName() == "class" && farm.FailureClass(label.GetValue()).Known() {
					counted += metric.GetCounter().GetValue()
				}
			}
		}
	}
	if counted != 3 {
		t.Errorf("%v failures are counted under kinds that are known, want 3", counted)
	}
}
