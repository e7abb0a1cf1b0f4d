package coordinator_test

import (
	"strings"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm/wire"
)

// While the machine that has a job is not connected nobody says when the job will be done, and why is told.
func TestAJobWhoseMachineVanishedPromisesNothing(t *testing.T) {
	t.Parallel()
	r := open(t, func(cfg *coordinator.Config) { cfg.Lease = time.Hour })
	s := r.enrol("aurora")
	s.connect()
	job := r.submit()
	l := s.lease()
	s.say(wire.Message{Progress: &wire.Progress{Attempt: l.Attempt, Percent: 99, Frame: 98, FramesTotal: 100}})
	r.eventually("an estimate", func() bool { return r.estimate(job) != nil })
	placement, err := r.Placement(t.Context(), r.admin, job.ID)
	if err != nil || !placement.Why.IsZero() {
		t.Errorf("while it is there: %q, %v", placement.Why, err)
	}
	s.hangUp()
	if span := r.estimate(job); span != nil {
		t.Errorf("its machine has gone, and it is to be done in %+v", span)
	}
	placement, err = r.Placement(t.Context(), r.admin, job.ID)
	if err != nil || !strings.Contains(placement.Why.String(), "aurora is not connected") || placement.Finish != nil {
		t.Errorf("its machine has gone: %q, %+v, %v", placement.Why, placement.Finish, err)
	}
	s.connect(l.Attempt)
	r.eventually("all is as before", func() bool {
		placement, err := r.Placement(t.Context(), r.admin, job.ID)
		return err == nil && placement.Why.IsZero() && placement.Finish != nil
	})
}
