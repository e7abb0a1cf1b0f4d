package coordinator_test

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/release"
	"overcrank/release/releasetest"
)

// TestAnAgentOfAnotherVersionCanOnlyBeUpdated: what it held goes to others, it gets no work however it asks, and everybody can read why. It is told of the
// release that the farm has chosen.
func TestAnAgentOfAnotherVersionCanOnlyBeUpdated(t *testing.T) {
	t.Parallel()
	for name, speaks := range map[string]struct {
		version int
		reason  string
	}{
		"an older one": {wire.Version, "its agent is too old for the farm (protocol 3, the farm's is 4): it gets no work until it is updated"},
		"a newer one":  {wire.Version + 2, "its agent is newer than the farm (protocol 5, the farm's is 4): update the coordinators"},
	} {
		t.Run(name, func(t *testing.T) {
			house := releasetest.New(t)
			house.Protocol = wire.Version + 1
			r := open(t, func(cfg *coordinator.Config) { cfg.ReleaseRoots, cfg.Protocol = house.Roots, wire.Version+1 })
			job := r.submit()
			old, other := r.enrol("old"), r.enrol("other")
			old.speaks = wire.Version + 1
			old.connect()
			l := old.lease()
			old.hangUp()

			old.speaks = speaks.version
			m := old.ask(l.Attempt)
			if m.OtherVersion == nil || m.OtherVersion.Version != wire.Version+1 || m.OtherVersion.HeartbeatSeconds <= 0 || len(m.OtherVersion.Coordinators) != 1 {
				t.Fatalf("it was answered with %+v", m)
			}
			other.speaks = wire.Version + 1
			other.connect()
			again := other.lease() // what the first had
			if again.Job != job.ID || again.Attempt.Attempt <= l.Attempt.Attempt {
				t.Errorf("the lease that it held became %+v", again)
			}
			for _, said := range []wire.Message{
				{Heartbeat: &wire.Heartbeat{Holding: []wire.Attempt{again.Attempt}}}, {Inventory: &old.inventory}, {Failed: &wire.Failed{Attempt: l.Attempt}},
				{Finished: &wire.Finished{Attempt: again.Attempt}}, {Progress: &wire.Progress{Attempt: again.Attempt, Percent: 50}}, {Tried: &wire.Tried{}},
				{Updating: &wire.Updating{Version: "1.0.0", Mode: farm.UpdatedByFarm}},
			} {
				old.say(said)
			}
			machine := func() farm.Machine {
				t.Helper()
				m, err := r.Agent(t.Context(), r.admin, old.agent.ID)
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			if m := machine(); m.State() != farm.MachineNotReady || m.Reason != speaks.reason || len(m.Running) > 0 {
				t.Errorf("people see %s, %q, running %v", m.State(), m.Reason, m.Running)
			}
			r.submit() // which only that machine is free for
			choose(t, r, house, old.agent.ID)
			told := old.hear()
			if told.Update != nil && told.Update.Release == "" { // before the release was chosen
				told = old.hear()
			}
			if told.Update == nil || told.Update.Release != "2.0.0" || len(told.Update.Documents) != 4 {
				t.Errorf("it was told %+v", told)
			}
			old.say(wire.Message{Updating: &wire.Updating{Version: "1.0.0", Mode: farm.UpdatedByFarm, Release: "2.0.0", State: farm.UpdateRolledBack, Reason: "it ended"}})
			r.eventually("the release to be stopped", func() bool {
				u, err := r.Releases().Updates(t.Context(), r.admin)
				return err == nil && u.Stopped != nil && u.Stopped.Machine == old.agent.ID
			})

			if err := r.RetireAgent(t.Context(), r.admin, old.agent.ID); err != nil {
				t.Fatal(err)
			}
			<-old.gone
		})
	}
}

// choose has the farm give a release to a machine.
func choose(t *testing.T, r *rig, house *releasetest.House, machine string) {
	t.Helper()
	folder := house.Release(t, "2.0.0", 2, []byte("two"))
	docs, err := release.ReadDocuments(folder)
	if err != nil {
		t.Fatal(err)
	}
	m, err := release.ParseManifest(docs.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Files {
		content, err := os.ReadFile(filepath.Join(folder, f.Name))
		if err == nil {
			_, err = r.Releases().Receive(t.Context(), r.admin, f.SHA256, bytes.NewReader(content), int64(len(content)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = r.Releases().Add(t.Context(), r.admin, docs)
	_, changing := r.Releases().Change(t.Context(), r.admin, func(u *farm.Updates) { u.Release, u.CanaryMachines = "2.0.0", []string{machine} })
	if err := cmp.Or(err, changing); err != nil {
		t.Fatal(err)
	}
}
