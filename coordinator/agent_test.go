package coordinator_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// configure changes what is wanted of a machine and gives what it is at then.
func (r *rig) configure(id string, change farm.AgentChange) farm.MachineState {
	r.t.Helper()
	m, err := r.ConfigureAgent(r.t.Context(), r.admin, id, change)
	if err != nil {
		r.t.Fatal(err)
	}
	return m.State()
}

func TestADrainedMachineFinishesWhatItHasAndGetsNothingMore(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	first, second := r.submit(), r.submit()
	l := s.lease()
	yes, no := true, false
	if state := r.configure(s.agent.ID, farm.AgentChange{Drained: &yes}); state != farm.MachineDraining {
		t.Errorf("while it renders the machine is %s", state)
	}
	s.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: s.render(l, "a film")}})
	s.settled(l.Attempt)
	if got := r.job(first.ID).Status; got != farm.JobFinished {
		t.Errorf("what it had is %s", got)
	}
	r.waits(second, "1 machine that fits is drained")
	s.silent()
	if m, err := r.Agent(t.Context(), r.admin, s.agent.ID); err != nil || m.State() != farm.MachineDrained {
		t.Errorf("with nothing in hand the machine is %s, %v", m.State(), err)
	}
	if state := r.configure(s.agent.ID, farm.AgentChange{Drained: &no}); state != farm.MachineFree && state != farm.MachineRendering {
		t.Errorf("set to work again the machine is %s", state)
	}
	if l := s.lease(); l.Job != second.ID {
		t.Errorf("it gets %s then, want %s", l.Job, second.ID)
	}
}

func TestAPausedMachineGivesBackWhatItHas(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	l := s.lease()
	yes := true
	r.configure(s.agent.ID, farm.AgentChange{Paused: &yes})
	if m := s.hear(); m.Cancel == nil || m.Cancel.Attempt != l.Attempt || !m.Cancel.GiveBack {
		t.Fatalf("a paused machine hears %+v", m)
	}
	s.say(wire.Message{Failed: &wire.Failed{Attempt: l.Attempt, Message: "the machine was paused", Cancelled: true, Retry: true}})
	s.settled(l.Attempt)
	if got := r.job(job.ID); got.Status != farm.JobQueued || got.Failures != 0 {
		t.Errorf("what it gave back is %s with %d failures", got.Status, got.Failures)
	}
	// It comes back with another connection, and is paused still.
	s.hangUp()
	s.connect()
	r.waits(job, "1 machine that fits is paused")
	s.silent()
}

// stands is what the machine is told next of whether the farm gives it work.
func (s *station) stands() wire.Standing {
	s.r.t.Helper()
	select {
	case told := <-s.standings:
		return told
	case <-time.After(patience):
		s.r.t.Fatal("the machine is told nothing in time")
		return wire.Standing{}
	}
}

// TestAMachineIsToldWhatTheFarmWantsOfIt, so that people at it know why it does nothing.
func TestAMachineIsToldWhatTheFarmWantsOfIt(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	yes, no := true, false
	for _, c := range []struct {
		change farm.AgentChange
		want   farm.MachineState
	}{
		{farm.AgentChange{Drained: &yes}, farm.MachineDrained},
		{farm.AgentChange{Paused: &yes}, farm.MachinePaused},
		{farm.AgentChange{Paused: &no, Drained: &no}, ""},
		{farm.AgentChange{Drained: &yes}, farm.MachineDrained},
	} {
		r.configure(s.agent.ID, c.change)
		if told := s.stands(); told.State != c.want {
			t.Errorf("after %+v it is told %+v, want %q", c.change, told, c.want)
		}
	}
	s.hangUp()
	s.connect()
	if told := s.stands(); told.State != farm.MachineDrained {
		t.Errorf("in its next session it is told %+v", told)
	}
}

// TestAMachineThatIsRenamedHasItsNameEverywhere: in the logs of jobs, when it tells what it has, and its own when it gets that back.
func TestAMachineThatIsRenamedHasItsNameEverywhere(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	name, none := "Suite 7", ""
	r.configure(s.agent.ID, farm.AgentChange{Name: &name})
	s.inventory.Tags = []string{"new"}
	s.say(wire.Message{Inventory: &s.inventory})
	first := r.submit(func(j *farm.Job) { j.RequireTags = []string{"new"} })
	l := s.lease()
	if log := r.log(first.ID); !strings.Contains(log, "attempt 1 on Suite 7") {
		t.Errorf("the log says\n%s", log)
	}
	s.finish(l, "a film")
	waits := r.submit(func(j *farm.Job) { j.RequireTags = []string{"none has it"} })
	p, err := r.Placement(t.Context(), r.admin, waits.ID)
	if err != nil || p.Nearest == nil || p.Nearest.Name != "Suite 7" {
		t.Errorf("nearest is %+v, %v", p.Nearest, err)
	}
	m, err := r.ConfigureAgent(t.Context(), r.admin, s.agent.ID, farm.AgentChange{Name: &none})
	if err != nil || m.Name != "box" {
		t.Errorf("with its own name it is called %q, %v", m.Name, err)
	}
}

// TestAMachineIsCalledNothingThatCannotStandInALine: neither as it calls itself with each hello, nor as people call it.
func TestAMachineIsCalledNothingThatCannotStandInALine(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	for _, odd := range []string{"box\x00", "box\u202egnp.exe", "box\u0085", "box\n", "box\xff"} {
		s.says = odd
		s.connect()
		if m, err := r.Agent(t.Context(), r.admin, s.agent.ID); err != nil || m.Name != "box" {
			t.Errorf("said to be %q, it is called %q, %v", odd, m.Name, err)
		}
		_, err := r.ConfigureAgent(t.Context(), r.admin, s.agent.ID, farm.AgentChange{Name: &odd})
		wantCode(t, err, farm.CodeInvalid)
		s.hangUp()
	}
	s.says = "Suite 7"
	s.connect()
	r.eventually("a name that it may have is taken", func() bool {
		m, err := r.Agent(t.Context(), r.admin, s.agent.ID)
		return err == nil && m.Name == "Suite 7"
	})
}

func TestTagsThatPeopleGiveCountLikeTheMachinesOwn(t *testing.T) {
	r := open(t)
	s := r.enrol("box", func(inv *farm.Inventory) { inv.Tags = []string{"fast"} })
	s.connect()
	job := r.submit(func(j *farm.Job) { j.RequireTags = []string{"fast", "gpu"} })
	s.silent()
	name, tags := "Suite 7", []string{"gpu", "gpu"}
	r.configure(s.agent.ID, farm.AgentChange{Name: &name, Tags: &tags})
	if l := s.lease(); l.Job != job.ID {
		t.Errorf("the machine gets %s", l.Job)
	}
	s.hangUp()
	s.connect()
	m, err := r.Agent(t.Context(), r.admin, s.agent.ID)
	if err != nil || m.Name != name || len(m.Tags) != 1 {
		t.Errorf("back again, the machine is %q with the tags %q, %v", m.Name, m.Tags, err)
	}
}

func TestAPausedFarmBeginsNothing(t *testing.T) {
	r := open(t)
	if _, err := r.PauseFarm(t.Context(), r.admin, true); err != nil {
		t.Fatal(err)
	}
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	s.silent()
	r.restart()
	s.connect()
	s.silent()
	var status farm.Status
	r.eventually("the queue is read", func() bool {
		var err error
		status, err = r.Status(t.Context(), r.admin)
		return err == nil
	})
	if !status.Paused || status.Ready != 1 || status.Machines[farm.MachineFree] != 1 {
		t.Errorf("the farm is at %+v", status)
	}
	s.silent()
	if _, err := r.PauseFarm(t.Context(), r.admin, false); err != nil {
		t.Fatal(err)
	}
	if l := s.lease(); l.Job != job.ID {
		t.Errorf("the machine gets %s", l.Job)
	}
}

func TestAJobIsPutBeforeOthers(t *testing.T) {
	r := open(t)
	first, second := r.submit(), r.submit()
	priority, later := 5, time.Now().Add(time.Hour)
	if _, err := r.ChangeJob(t.Context(), r.admin, second.ID, coordinator.JobChange{Priority: &priority}); err != nil {
		t.Fatal(err)
	}
	held := r.submit()
	if _, err := r.ChangeJob(t.Context(), r.admin, held.ID, coordinator.JobChange{Priority: &priority, NotBefore: &later}); err != nil {
		t.Fatal(err)
	}
	line, _, err := r.Queue(t.Context(), r.admin, 10, "")
	if err != nil || len(line) != 2 || line[0].Job != second.ID || line[1].Job != first.ID {
		t.Errorf("the line is %+v, %v", line, err)
	}
	s := r.enrol("box")
	s.connect()
	if l := s.lease(); l.Job != second.ID {
		t.Errorf("the machine gets %s, want %s", l.Job, second.ID)
	}
}

func TestChangesOfThePolicyAtOnceAreAllMade(t *testing.T) {
	r := open(t)
	names := []string{"a", "b", "c", "d", "e"}
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			if _, err := r.PutLimit(t.Context(), r.admin, name, farm.LimitPolicy{Total: 1}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	policy, err := r.Policy(t.Context(), r.admin)
	if err != nil || len(policy.Limits) != len(names) || policy.Revision != len(names) {
		t.Errorf("the policy is %+v, %v", policy, err)
	}
	old := 1
	if _, err := r.ChangePolicy(t.Context(), r.admin, &old, func(p *farm.Policy) { p.Paused = true }); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("a change of an older revision is answered %v", err)
	}
	if _, err := r.PutPolicy(t.Context(), r.admin, farm.Policy{Revision: old}); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("a policy made from an older revision is answered %v", err)
	}
}

func TestWhatIsSharedIsDecidedByTheFarmsOwnPeople(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	yes := true
	stranger := farm.Principal{Team: "another", Role: farm.RoleAdmin, Name: "stranger"}
	for what, try := range map[string]func() error{
		"configure a machine": func() error {
			_, err := r.ConfigureAgent(t.Context(), stranger, s.agent.ID, farm.AgentChange{Drained: &yes})
			return err
		},
		"retire a machine": func() error { return r.RetireAgent(t.Context(), stranger, s.agent.ID) },
		"pause the farm":   func() error { _, err := r.PauseFarm(t.Context(), stranger, true); return err },
		"set the policy":   func() error { _, err := r.PutPolicy(t.Context(), stranger, farm.Policy{}); return err },
		"end a limit":      func() error { return r.RemoveLimit(t.Context(), stranger, "x") },
	} {
		if err := try(); farm.CodeOf(err) != farm.CodeForbidden {
			t.Errorf("another team's administrator may %s: %v", what, err)
		}
	}
}
