package coordinator_test

import (
	"strings"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

func (r *rig) placement(job farm.Job) farm.Placement {
	r.t.Helper()
	p, err := r.Placement(r.t.Context(), r.admin, job.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

func TestPlacementOfAJobThatNoMachineFits(t *testing.T) {
	r := open(t)
	near := r.enrol("near", func(i *farm.Inventory) { i.Tags, i.OS = []string{"gpu"}, "windows" })
	far := r.enrol("far")
	near.connect()
	far.connect()
	job := r.submit(func(j *farm.Job) { j.RequireTags, j.OS, j.MinMemory = []string{"gpu"}, "windows", 64e9 })
	p := r.placement(job)
	if p.Agents != 2 || p.Fitting != 0 || p.Place != 1 || p.PlaceAtLeast || p.Start != nil {
		t.Errorf("placement %+v", p)
	}
	if p.Nearest == nil || p.Nearest.Name != "near" || len(p.Nearest.Lacks) != 1 || !strings.Contains(p.Nearest.Lacks[0].String(), "memory") {
		t.Errorf("nearest %+v", p.Nearest)
	}
	rulesOut := map[string]int{}
	for _, q := range p.Requirements {
		rulesOut[q.Kind] += q.RulesOut
	}
	if rulesOut["tags"] != 1 || rulesOut["os"] != 1 || rulesOut["memory"] != 2 || rulesOut["engine"] != 0 {
		t.Errorf("requirements %+v", p.Requirements)
	}
	near.inventory.Memory = 128e9
	near.say(wire.Message{Inventory: &near.inventory})
	if l := near.lease(); l.Job != job.ID {
		t.Errorf("leased %+v", l)
	}
	if p := r.placement(job); !p.Why.IsZero() || p.Task != "" {
		t.Errorf("a job that renders is placed as %+v", p)
	}
}

func TestAnArtistsMachineGetsNothingWhileItIsNotFree(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	s := r.enrol("desk")
	s.connect()
	until := c.read().Add(time.Hour)
	s.say(wire.Message{Heartbeat: &wire.Heartbeat{Availability: farm.Availability{Presence: farm.PresenceAway, Reason: "somebody works at it", Until: until}}})
	r.eventually("the machine is known to be away", func() bool {
		list, err := r.Machines(t.Context(), r.admin)
		return err == nil && list[0].Presence == farm.PresenceAway
	})
	job := r.submit()
	s.silent() // which tells that the machine is free again
	if l := s.lease(); l.Job != job.ID {
		t.Errorf("leased %+v", l)
	}
	s.say(wire.Message{Heartbeat: &wire.Heartbeat{Holding: []wire.Attempt{{Task: job.ID + ".1", Attempt: 1}}, Availability: farm.Availability{Presence: farm.PresenceYielding, Until: until}}})
	r.eventually("a waiting job says so", func() bool {
		return strings.Contains(r.placement(r.submit()).Why.String(), "in use by its artist until")
	})
}

func TestAMachineThatLacksSomethingIsNotReadyAndSaysWhy(t *testing.T) {
	r := open(t)
	s := r.enrol("full")
	s.connect()
	s.say(wire.Message{Heartbeat: &wire.Heartbeat{Availability: farm.Availability{Presence: farm.PresenceAway, Reason: "its disk is full", NotReady: true}}})
	r.eventually("the machine is known not to be ready", func() bool {
		list, err := r.Machines(t.Context(), r.admin)
		return err == nil && list[0].State() == farm.MachineNotReady && list[0].Reason == "its disk is full"
	})
	job := r.submit()
	if why := r.placement(job).Why.String(); !strings.Contains(why, "not ready (its disk is full)") || strings.Contains(why, "artist") {
		t.Errorf("the job waits since %q", why)
	}
	s.silent() // which tells that the machine has room again
	if l := s.lease(); l.Job != job.ID {
		t.Errorf("leased %+v", l)
	}
}

func TestTheQueueTellsNothingOfOtherTeams(t *testing.T) {
	r := open(t)
	first := r.submit(func(j *farm.Job) { j.Name = "ours" })
	r.submit(func(j *farm.Job) { j.Level = farm.LevelRush })
	entries, next, err := r.Queue(t.Context(), r.admin, 1, "")
	if err != nil || len(entries) != 1 || next == "" || entries[0].Level != farm.LevelRush || entries[0].Place != 1 {
		t.Fatalf("the first page is %+v, then %q, %v", entries, next, err)
	}
	entries, next, err = r.Queue(t.Context(), r.admin, 1, next)
	if err != nil || len(entries) != 1 || next != "" || entries[0].Job != first.ID || entries[0].JobName != "ours" || entries[0].Place != 2 {
		t.Fatalf("the second page is %+v, then %q, %v", entries, next, err)
	}
	entries, _, err = r.Queue(t.Context(), farm.Principal{Team: "another"}, 10, "")
	if err != nil || len(entries) != 2 {
		t.Fatalf("another team sees %+v, %v", entries, err)
	}
	for _, e := range entries {
		if e != (farm.QueueEntry{Place: e.Place, Level: e.Level, Since: e.Since}) {
			t.Errorf("another team is told %+v", e)
		}
	}
	_, err = r.Placement(t.Context(), farm.Principal{Team: "another"}, first.ID)
	wantCode(t, err, farm.CodeNotFound)
	_, _, err = r.Queue(t.Context(), r.admin, 1, "x")
	wantCode(t, err, farm.CodeInvalid)
}

func TestANewLeaderGoesOnSharing(t *testing.T) {
	c := newClock()
	r := open(t, c.config, func(cfg *coordinator.Config) { cfg.Lease = time.Hour })
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	l := s.lease()
	c.pass(10 * time.Minute)
	s.finish(l, "film")
	r.eventually("the job has ended", func() bool { return r.job(job.ID).Status == farm.JobFinished })
	s.hangUp()
	r.restart()
	// The other team had nothing of the farm yet, so its job comes first, though it came last.
	ours := r.submit()
	c.pass(time.Second)
	theirs := farm.Job{Template: farm.JobTemplate{Src: "http://files.test/title.aep", Composition: "main"}}
	other, err := r.MakeTeam(t.Context(), r.admin, "another")
	if err != nil {
		t.Fatal(err)
	}
	if theirs, err = r.Submit(t.Context(), farm.Principal{Team: other.ID, Role: farm.RoleAdmin}, theirs); err != nil {
		t.Fatal(err)
	}
	entries, _, err := r.Queue(t.Context(), r.admin, 10, "")
	if err != nil || len(entries) != 2 || entries[0].Job != "" || entries[1].Job != ours.ID {
		t.Errorf("the line is %+v, %v; theirs is %s", entries, err, theirs.ID)
	}
}
