package coordinator_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/faults"
)

// onSetClock opens a coordinator whose clock a test sets, while time passes as it does.
func onSetClock(t *testing.T, edit ...func(*coordinator.Config)) (*rig, *faults.Machine) {
	m := faults.NewMachine()
	return open(t, append(edit, func(cfg *coordinator.Config) { cfg.Now = m.Now })...), m
}

// clockFound is what the node says of its clock.
func (r *rig) clockFound() farm.Check {
	for _, check := range r.Checks() {
		if check.Name == "clock" {
			return check
		}
	}
	return farm.Check{}
}

// sawClock waits until the node has seen that its clock was set, has ended the session of an agent that was there, and works
// again.
func (r *rig) sawClock(way string, s *station) {
	r.t.Helper()
	r.eventually("the clock that is set "+way+" is seen", func() bool {
		check := r.clockFound()
		return check.Warn && strings.Contains(check.Found, "set "+way)
	})
	select {
	case <-s.gone:
	case <-time.After(patience):
		r.t.Fatal("the leader did not begin anew in time")
	}
	r.eventually("the leader to have begun anew", func() bool { return r.Ready() == nil })
}

func TestNobodyLosesWorkWhenTheClockIsSet(t *testing.T) {
	t.Parallel()
	r, machine := onSetClock(t)
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	lease := s.lease()
	for way, by := range map[string]time.Duration{"forward": time.Hour, "back": -time.Hour} {
		machine.Set(faults.Faults{Clock: by})
		r.sawClock(way, s)
		if w := s.connect(lease.Attempt); len(w.Drop) != 0 {
			t.Fatalf("the clock was set %s, and the agent is told to drop its work", way)
		}
		if got := r.job(job.ID); got.Status != farm.JobRendering {
			t.Errorf("the clock was set %s, and the job is %s", way, got.Status)
		}
	}
	s.finish(lease, "a film")
	if got := r.job(job.ID); got.Status != farm.JobFinished || got.Output == nil {
		t.Errorf("the job ended as %+v", got)
	}
	if task := r.tasks(job.ID)[0]; task.Attempt != 1 || task.Failures != 0 {
		t.Errorf("it took attempt %d with %d failures", task.Attempt, task.Failures)
	}
}

func (r *rig) tasks(job string) []coordinator.TaskView {
	r.t.Helper()
	tasks, _, err := r.Tasks(r.t.Context(), r.admin, job, "", 10)
	if err != nil {
		r.t.Fatal(err)
	}
	return tasks
}

func TestAClockThatIsSetBackHoldsNoRetryUp(t *testing.T) {
	t.Parallel()
	r, machine := onSetClock(t)
	s, other := r.enrol("box"), r.enrol("other")
	s.connect()
	machine.Set(faults.Faults{Clock: time.Hour})
	r.sawClock("forward", s)
	s.connect()
	r.submit()
	lease := s.lease()
	s.fail(lease, "a bad moment", true)
	machine.Set(faults.Faults{})
	r.sawClock("back", s)
	other.connect()
	if again := other.lease(); again.Attempt != (wire.Attempt{Task: lease.Task, Attempt: 2}) {
		t.Errorf("leased %+v", again.Attempt)
	}
}

func TestAClockThatIsSetBackHoldsNoWebhookUp(t *testing.T) {
	t.Parallel()
	var well atomic.Bool
	calls := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	r, machine := onSetClock(t)
	s := r.enrol("box")
	s.connect()
	machine.Set(faults.Faults{Clock: time.Hour})
	r.sawClock("forward", s)
	s.connect()
	r.submit(func(j *farm.Job) { j.Webhook = &farm.Webhook{URL: calls.URL} })
	s.finish(s.lease(), "a film")
	r.eventually("a first try", func() bool { return len(calls.heard()) > 0 })
	well.Store(true)
	tries := len(calls.heard())
	machine.Set(faults.Faults{})
	r.eventually("another try under the clock that was set back", func() bool { return len(calls.heard()) > tries })
	heard := calls.heard()
	first, last := heard[0], heard[len(heard)-1]
	if first.body != last.body || first.header.Get("X-Delivery-Id") != last.header.Get("X-Delivery-Id") {
		t.Errorf("the tries differ: %s and %s", first.body, last.body)
	}
}

func TestNothingIsDeletedForItsAgeUnderAClockThatWasJustSet(t *testing.T) {
	t.Parallel()
	r, machine := onSetClock(t, func(cfg *coordinator.Config) { cfg.KeepHistory = 24 * time.Hour })
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	s.finish(s.lease(), "a film")
	machine.Set(faults.Faults{Clock: 1000 * time.Hour})
	r.sawClock("forward", s)
	if err := r.Retain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.output(r.job(job.ID)); got != "a film" {
		t.Errorf("the result is %q", got)
	}
}

func TestIdsSortByTheirMakingWhateverTheClockShows(t *testing.T) {
	t.Parallel()
	r, machine := onSetClock(t)
	var last string
	for i, by := range []time.Duration{0, time.Hour, time.Hour, 0, -time.Hour, -time.Hour, time.Hour, 0} {
		machine.Set(faults.Faults{Clock: by})
		job := r.submit()
		if job.ID <= last {
			t.Errorf("id %d, %s, comes before %s", i, job.ID, last)
		}
		last = job.ID
	}
}

func TestAClockThatRunsIsNotSet(t *testing.T) {
	t.Parallel()
	r := open(t)
	if check := r.clockFound(); check.Warn || check.Err != nil || check.Found == "" {
		t.Errorf("the node says of its clock: %+v", check)
	}
}
