package tables

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func TestPeopleSteerMachines(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	yes, no, name, none := true, false, "Render 7", ""
	wantRefused(t, m, command.ConfigureAgent{ID: "nobody", Drained: &yes}, farm.CodeNotFound)

	tags := []string{"gpu"}
	result := m.must(command.ConfigureAgent{ID: "a1", Name: &name, Drained: &yes, Tags: &tags})
	if len(result.Agents) != 1 || result.Agents[0].ID != "a1" || !result.Agents[0].Drained {
		t.Errorf("the result tells of the machines %+v", result.Agents)
	}
	m.must(command.PutInventory{ID: "a1", Name: "host-7", Inventory: farm.Inventory{CPUs: 8}})
	night, always := []farm.Hours{{From: 19 * 60, To: 8 * 60}}, []farm.Hours{}
	if got := m.must(command.ConfigureAgent{ID: "a1", Hours: &night}).Agents[0]; len(got.Hours) != 1 || got.Hours[0].From != 19*60 || got.Name != name {
		t.Errorf("with hours the machine is %+v", got)
	}
	wantRefused(t, m, command.ConfigureAgent{ID: "a1", Hours: &[]farm.Hours{{From: -1}}}, farm.CodeInvalid)
	tooMany := make([]farm.Hours, farm.MostHours+1)
	wantRefused(t, m, command.ConfigureAgent{ID: "a1", Hours: &tooMany}, farm.CodeInvalid)
	if got := m.must(command.ConfigureAgent{ID: "a1", Hours: &always}).Agents[0]; len(got.Hours) != 0 {
		t.Errorf("without hours again the machine is %+v", got)
	}
	m.must(command.ConfigureAgent{ID: "a1", Paused: &yes})
	expect := func(want farm.Agent) {
		t.Helper()
		m.read(func(tx *Tx) error {
			got, err := tx.Agent("a1")
			got.Inventory, got.SecretHash, got.EnrolledAt = farm.Inventory{}, "", time.Time{}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("the machine is %+v, want %+v", got, want)
			}
			return err
		})
	}
	expect(farm.Agent{ID: "a1", Name: name, Named: true, Drained: true, Paused: true, Tags: tags})

	m.must(command.ConfigureAgent{ID: "a1", Name: &none, Drained: &no, Paused: &no, Tags: &[]string{}, Restore: true})
	m.must(command.PutInventory{ID: "a1", Name: "host-7"})
	expect(farm.Agent{ID: "a1", Name: "host-7"})
}

func TestALostRaceForThePolicyIsTold(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.PutTeam{Team: farm.Team{ID: "t2"}})
	share := farm.Policy{Teams: map[string]farm.TeamPolicy{"t2": {Weight: 2}}, Paused: true}
	result := m.must(command.PutPolicy{Policy: share})
	if result.Policy == nil || result.Policy.Revision != 1 || !result.Policy.Paused {
		t.Errorf("the result tells of the policy %+v", result.Policy)
	}
	wantRefused(t, m, command.PutPolicy{Policy: share}, farm.CodeConflict)
	share.Revision = 1
	m.must(command.PutPolicy{Policy: share})

	wantRefused(t, m, command.PutPolicy{Policy: farm.Policy{Revision: 2, Teams: map[string]farm.TeamPolicy{"nobody": {}}}}, farm.CodeInvalid)
	wantRefused(t, m, command.PutPolicy{Policy: farm.Policy{Revision: 2, MaxMachinesPerJob: -1}}, farm.CodeInvalid)

	if result := m.must(command.EndTeam{ID: "t2", At: after(9)}); result.Policy == nil || len(result.Policy.Teams) != 0 {
		t.Errorf("with its team's end the policy is %+v", result.Policy)
	}
	m.read(func(tx *Tx) error {
		policy, err := tx.Policy()
		if policy.Revision != 3 || len(policy.Teams) != 0 || !policy.At.Equal(after(9)) {
			t.Errorf("the policy is %+v", policy)
		}
		return err
	})
}

func TestAJobThatWaitsIsPutElsewhereInLine(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	family(m)
	priority, level, later, tags, name := 9, farm.LevelRush, after(50), []string{"urgent"}, "Now"
	change := command.ChangeJob{Team: "team", ID: "p", Name: &name, Tags: &tags, Priority: &priority, Level: &level, NotBefore: &later, At: after(5)}

	wantRefused(t, m, command.ChangeJob{Team: "t2", ID: "p"}, farm.CodeNotFound)
	wrong := farm.Level("soon")
	wantRefused(t, m, command.ChangeJob{Team: "team", ID: "p", Level: &wrong}, farm.CodeInvalid)

	result := m.must(change)
	var changed, ready []string
	for _, job := range result.Jobs {
		changed = append(changed, job.ID)
		if job.Priority != 9 || job.Level != farm.LevelRush || !job.NotBefore.Equal(later) || !job.UpdatedAt.Equal(after(5)) {
			t.Errorf("job %s is %+v", job.ID, job)
		}
		if (job.Name == name) != (job.ID == "p") || (len(job.Tags) > 0) != (job.ID == "p") {
			t.Errorf("job %s is called %q, with the tags %q", job.ID, job.Name, job.Tags)
		}
	}
	for _, task := range result.Tasks {
		ready = append(ready, task.ID)
	}
	if len(changed) < 2 || changed[0] != "p" || len(ready) == 0 || slices.Contains(ready, "p.0") {
		t.Errorf("the result tells of the jobs %q and the tasks %q", changed, ready)
	}
	m.read(func(tx *Tx) error {
		jobs, _, err := tx.Jobs("team", farm.JobQuery{Tags: tags})
		if len(jobs) != 1 || jobs[0].ID != "p" {
			t.Errorf("%d jobs are found by the new tag", len(jobs))
		}
		return err
	})
	m.must(command.CancelJobs{Team: "team", IDs: []string{"p"}, At: after(6)})
	wantRefused(t, m, change, farm.CodeConflict)
}
