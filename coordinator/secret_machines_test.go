package coordinator_test

import (
	"fmt"
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/faults"
)

// bound is a secret that goes only to machines with one of the tags.
func (r *rig) bound(name string, tags ...string) farm.Secret {
	r.t.Helper()
	r.eventually("the farm understands what this release brings", func() bool {
		level, err := r.Level()
		return err == nil && level == coordinator.Level()
	})
	s, err := r.Secrets().Put(r.t.Context(), r.admin, name, farm.NewConfidential(secretValue), tags)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// tag gives a machine tags, as an operator does.
func (r *rig) tag(s *station, tags ...string) {
	r.t.Helper()
	if _, err := r.ConfigureAgent(r.t.Context(), r.admin, s.agent.ID, farm.AgentChange{Tags: &tags}); err != nil {
		r.t.Fatal(err)
	}
}

// why is what is said of a job that waits.
func (r *rig) why(job string) string {
	r.t.Helper()
	why, err := r.WhyWaiting(r.t.Context(), r.admin, job)
	if err != nil {
		r.t.Fatal(err)
	}
	return why.String()
}

// waits wants a job to wait for a reason. That a machine has heard nothing shows less: leases are granted beside what it says.
func (r *rig) waits(job farm.Job, why string) {
	r.t.Helper()
	r.eventually("job "+job.ID+" waits since: "+why, func() bool { return strings.Contains(r.why(job.ID), why) })
}

func TestASecretGoesOnlyToMachinesWithItsTag(t *testing.T) {
	r := open(t)
	r.bound("KEY", "vault")
	claims := r.enrol("claims", func(inv *farm.Inventory) { inv.Tags = []string{"vault"} }) // which anybody at the machine can write
	claims.connect()
	trusted := r.enrol("trusted")
	r.tag(trusted, "vault")
	job := r.submit(referring("KEY"))
	r.eventually("the job waits for another machine", func() bool {
		return strings.Contains(r.why(job.ID), "does not have the tag 'vault', without which it may not get the secret 'KEY'. It waits until an operator gives a machine that tag")
	})
	other := r.submit()
	l := claims.lease()
	if l.Job != other.ID || l.Secrets != nil {
		t.Errorf("a machine without the tag got %s and the secrets %v", l.Job, l.Secrets)
	}
	trusted.connect()
	if l := trusted.lease(); l.Job != job.ID || l.Secrets["KEY"] != secretValue {
		t.Errorf("the machine with the tag got %s with %d secrets", l.Job, len(l.Secrets))
	}
}

func TestAJobThatWaitsFollowsWhatItsSecretsAreBoundTo(t *testing.T) {
	r := open(t)
	key := r.bound("KEY", "vault")
	s := r.enrol("box")
	s.connect()
	job := r.submit(referring("KEY"))
	bind := func(tags ...string) {
		t.Helper()
		got, err := r.Secrets().Restrict(t.Context(), r.admin, key.ID, tags)
		if err != nil || fmt.Sprint(got.MachineTags) != fmt.Sprint(tags) || got.Sealed != nil {
			t.Fatalf("bound to %v as %+v: %v", tags, got, err)
		}
	}
	bind("safe", "vault")
	r.waits(job, "one of the tags 'safe', 'vault'")
	s.silent()
	for _, tags := range [][]string{{"va\nult"}, {""}, make([]string, 51)} {
		if _, err := r.Secrets().Restrict(t.Context(), r.admin, key.ID, tags); farm.CodeOf(err) != farm.CodeInvalid {
			t.Errorf("the tags %q: %v", tags, err)
		}
	}
	bind()
	s.finish(s.lease(), "film")
	waits := r.submit(referring("KEY"), func(j *farm.Job) { j.Hold = true })
	bind("vault")
	if _, err := r.ReleaseJobs(t.Context(), r.admin, []string{waits.ID}); err != nil {
		t.Fatal(err)
	}
	r.waits(waits, "'vault'")
	s.silent()
	r.tag(s, "vault")
	if l := s.lease(); l.Job != waits.ID {
		t.Errorf("leased %s, want %s", l.Job, waits.ID)
	}
}

func TestTheNextLeaderKnowsWhichMachinesGetASecret(t *testing.T) {
	r := open(t)
	r.bound("KEY", "vault")
	job := r.submit(referring("KEY"))
	r.restart()
	s := r.enrol("box")
	s.connect()
	r.waits(job, "'vault'")
	s.silent()
}

// A secret is bound to other machines while the lease of one that had been chosen for it is put together: its value stays, the job is as
// it was, and a machine that may have the value gets both.
func TestASecretThatIsBoundOnItsWayToAMachineStays(t *testing.T) {
	t.Parallel()
	storage, where := inUnruly(t)
	r := open(t, where)
	key := r.bound("KEY")
	job := r.private(func(j *farm.Job) { j.Template.Src += "&token=${secrets.KEY}" })
	r.restart() // so that nothing of it is in memory
	storage.Set(faults.StorageStalls, names("/private/"+job.ID))
	plain := r.enrol("plain")
	plain.connect()
	r.held(storage, 1) // the job is leased to the machine, and its lease is put together
	if _, err := r.Secrets().Restrict(t.Context(), r.admin, key.ID, []string{"vault"}); err != nil {
		t.Fatal(err)
	}
	storage.Set(faults.StorageWell, nil)
	r.eventually("the job waits for a machine with the tag", func() bool {
		return r.job(job.ID).Status == farm.JobQueued && strings.Contains(r.why(job.ID), "'vault'")
	})
	plain.silent()
	if log := r.log(job.ID); log != "" {
		t.Errorf("the machine was told of the job, whose log says %q", log)
	}
	trusted := r.enrol("trusted")
	r.tag(trusted, "vault")
	trusted.connect()
	if l := trusted.lease(); l.Job != job.ID || l.Secrets["KEY"] != secretValue {
		t.Errorf("the machine with the tag got %s with %d secrets", l.Job, len(l.Secrets))
	}
	if got := r.job(job.ID); got.Failures != 0 {
		t.Errorf("the job counts %d failures", got.Failures)
	}
}
