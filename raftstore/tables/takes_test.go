package tables

import (
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// takesOf makes new takes of rows of a batch that batchOf made; of gives the job that each is a take of, by row.
func takesOf(into, suffix string, of map[int]string) command.SubmitJobs {
	cmd := command.SubmitJobs{Batch: &farm.Batch{ID: "takes" + suffix, Team: "team", CreatedAt: epoch, Total: len(of), Into: into}}
	for row := range 10 {
		first, asked := of[row]
		if !asked {
			continue
		}
		job, task := jobOf(first+suffix, 20+row)
		job.Batch, job.TakeOf = into, first
		cmd.Batch.Jobs = append(cmd.Batch.Jobs, farm.BatchJob{Index: row, ID: job.ID})
		cmd.Jobs, cmd.Tasks = append(cmd.Jobs, job), append(cmd.Tasks, task)
	}
	return cmd
}

func failed(m *rig, job string, attempt, second int) {
	m.t.Helper()
	lease(m, job+".0", attempt, second)
	m.must(command.FailTask{Task: job + ".0", Attempt: attempt, Message: "no night.png", Class: farm.FailureDeterministic,
		Cause: farm.Cause{Kind: farm.CauseFootage, Subject: "night.png"}, At: after(second + 1)})
}

func TestRowsOfABatchGetNewTakes(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(batchOf("b1", 4))
	failed(m, "b1-j1", 1, 5)
	failed(m, "b1-j2", 1, 7)
	result := m.must(takesOf("b1", "x", map[int]string{1: "b1-j1", 2: "b1-j2"}))
	if len(result.Jobs) != 2 || len(result.Tasks) != 2 {
		t.Fatalf("it came to %d jobs and %d tasks", len(result.Jobs), len(result.Tasks))
	}
	if counts := m.countBatch("b1"); counts[farm.JobFailed] != 0 || counts[farm.JobQueued] != 3 || counts[farm.JobPending] != 1 {
		t.Errorf("the batch counts %v", counts)
	}
	m.read(func(tx *Tx) error {
		batch, err := tx.Batch("b1")
		if err != nil || len(batch.Jobs) != 4 || batch.Jobs[1] != (farm.BatchJob{Index: 1, ID: "b1-j1x"}) || batch.Jobs[3].ID != "b1-j3" || batch.Total != 4 || batch.Into != "" {
			t.Errorf("the batch is %+v, %v", batch, err)
		}
		old, err := tx.Job("b1-j1")
		if err != nil || old.Status != farm.JobFailed || old.NextTake != "b1-j1x" || old.Batch != "b1" {
			t.Errorf("the take before is %+v, %v", old, err)
		}
		if groups, err := tx.FailureGroups("team"); err != nil || len(groups) != 0 {
			t.Errorf("these need somebody: %+v, %v", groups, err)
		}
		if _, err := tx.Batch("takesx"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("the submission became a batch of its own: %v", err)
		}
		return nil
	})
	// The new take fails too, and gets one of its own; what was there before it is counted nowhere.
	failed(m, "b1-j1x", 1, 40)
	m.must(takesOf("b1", "y", map[int]string{1: "b1-j1"}))
	if counts := m.countBatch("b1"); counts[farm.JobFailed] != 0 || counts[farm.JobQueued] != 3 {
		t.Errorf("after a third take the batch counts %v", counts)
	}
	m.must(command.PurgeJobs{IDs: []string{"b1-j2"}})
	if counts := m.countBatch("b1"); counts[farm.JobQueued] != 3 {
		t.Errorf("after a take that was replaced was forgotten the batch counts %v", counts)
	}
}

func TestTakesThatAreNoneAreRefused(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(batchOf("b1", 3))
	failed(m, "b1-j1", 1, 5)
	for name, c := range map[string]struct {
		code farm.Code
		cmd  command.SubmitJobs
	}{
		"no such batch":      {farm.CodeNotFound, takesOf("b9", "x", map[int]string{1: "b1-j1"})},
		"no such row":        {farm.CodeNotFound, takesOf("b1", "x", map[int]string{7: "b1-j1"})},
		"a row that goes on": {farm.CodeConflict, takesOf("b1", "x", map[int]string{1: "b1-j1", 2: "b1-j2"})},
		"of another job":     {farm.CodeInvalid, takesOf("b1", "x", map[int]string{1: "b1-j2"})},
	} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, m, c.cmd, c.code)
			if counts := m.countBatch("b1"); counts[farm.JobFailed] != 1 || counts[farm.JobQueued] != 1 {
				t.Errorf("the batch counts %v", counts)
			}
		})
	}
	twice := takesOf("b1", "x", map[int]string{1: "b1-j1", 2: "b1-j1"})
	twice.Batch.Jobs[1].Index, twice.Jobs[1].ID = 1, "b1-j1z"
	twice.Batch.Jobs[1].ID, twice.Jobs[1].OutputName, twice.Tasks[1].Job, twice.Tasks[1].ID = "b1-j1z", "b1-j1z-out.mp4", "b1-j1z", "b1-j1z.0"
	wantRefused(t, m, twice, farm.CodeNotFound)
	if need := takesOf("b1", "x", nil).Needs(); need != command.TakesLevel {
		t.Errorf("it needs level %d", need)
	}
}

func TestABatchRemainsThatOfWhoSubmittedIt(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.SetLevel{Level: command.BatchOwnersLevel, Version: "test"})
	cmd := batchOf("b1", 2)
	for i := range cmd.Jobs {
		cmd.Jobs[i].SubmittedBy = "mia"
	}
	m.must(cmd)
	for step, who := range []string{"", "cleo", "zoe"} {
		if who != "" {
			m.must(command.CancelJobs{Team: "team", IDs: []string{m.firstOf("b1")}, At: after(3 * step)})
			takes := takesOf("b1", who, map[int]string{0: "b1-j0"})
			takes.Jobs[0].SubmittedBy = who
			m.must(takes)
		}
		m.read(func(tx *Tx) error {
			head, err := tx.HeadOfBatch("b1")
			if err != nil {
				return err
			}
			first, err := tx.JobHead(head.Jobs[0].ID)
			if err != nil || head.Owner(first) != "mia" {
				t.Errorf("after %q submitted a row again, the batch is that of %q, %v", who, head.Owner(first), err)
			}
			whole, err := tx.Batch("b1")
			if whole.By != head.By || whole.Jobs[0].ID != head.Jobs[0].ID {
				t.Errorf("the batch is %+v, and its head %+v", whole, head)
			}
			return err
		})
	}
}

// firstOf is the first job of a batch.
func (m *rig) firstOf(batch string) (id string) {
	m.read(func(tx *Tx) error {
		head, err := tx.HeadOfBatch(batch)
		id = head.Jobs[0].ID
		return err
	})
	return id
}
