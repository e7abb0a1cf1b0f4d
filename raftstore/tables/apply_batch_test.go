package tables

import (
	"fmt"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
)

// batchOf makes a batch of n jobs; the first one has a job nested in it.
func batchOf(id string, n int) command.SubmitJobs {
	cmd := command.SubmitJobs{Batch: &farm.Batch{ID: id, Team: "team", CreatedAt: epoch, Total: n}}
	for i := range n {
		job, task := jobOf(fmt.Sprintf("%s-j%d", id, i), i)
		job.Batch = id
		cmd.Batch.Jobs = append(cmd.Batch.Jobs, farm.BatchJob{Index: i, ID: job.ID})
		if i == 0 {
			child, childTask := jobOf(id+"-child", i)
			child.Parent, job.Children = job.ID, []string{child.ID}
			cmd.Jobs, cmd.Tasks = append(cmd.Jobs, child), append(cmd.Tasks, childTask)
		}
		cmd.Jobs, cmd.Tasks = append(cmd.Jobs, job), append(cmd.Tasks, task)
	}
	return cmd
}

func (m *rig) countBatch(id string) (counts map[farm.JobStatus]int) {
	m.t.Helper()
	m.read(func(tx *Tx) (err error) {
		counts, err = tx.CountBatch(id)
		return err
	})
	return counts
}

func TestABatchIsCountedByState(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(batchOf("b1", 3))
	if counts := m.countBatch("b1"); counts[farm.JobPending] != 1 || counts[farm.JobQueued] != 2 || len(counts) != 2 {
		t.Errorf("a new batch counts %v", counts)
	}
	lease(m, "b1-j1.0", 1, 5)
	m.must(command.FinishTask{Task: "b1-j1.0", Attempt: 1, At: after(6)})
	lease(m, "b1-j2.0", 1, 7)
	result := m.must(command.CancelBatch{Team: "team", ID: "b1", At: after(8)})
	if len(result.Jobs) != 2 || result.Jobs[0].ID != "b1-j0" || result.Jobs[1].ID != "b1-child" || m.jobStatus("b1-j2") != farm.JobRendering {
		t.Errorf("cancelled %+v", result.Jobs)
	}
	if counts := m.countBatch("b1"); counts[farm.JobCancelled] != 1 || counts[farm.JobFinished] != 1 || counts[farm.JobRendering] != 1 {
		t.Errorf("after the cancellation it counts %v", counts)
	}
	if result := m.must(command.CancelBatch{Team: "team", ID: "b1", At: after(9)}); len(result.Jobs) != 0 {
		t.Errorf("cancelled again: %+v", result.Jobs)
	}
	if result := m.must(command.CancelBatch{Team: "team", ID: "b1", Force: true, At: after(9)}); len(result.Jobs) != 1 || len(result.Tasks) != 1 {
		t.Errorf("by force went %+v", result.Jobs)
	}
	wantRefused(t, m, command.CancelBatch{Team: "other", ID: "b1"}, farm.CodeNotFound)
	wantRefused(t, m, command.CancelBatch{Team: "team", ID: "b2"}, farm.CodeNotFound)
}

func TestABatchAndItsJobsNameEachOther(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(batchOf("b0", 1))
	for name, spoil := range map[string]func(c *command.SubmitJobs){
		"no id":            func(c *command.SubmitJobs) { c.Batch.ID = "" },
		"a job too few":    func(c *command.SubmitJobs) { c.Jobs, c.Tasks = c.Jobs[:2], c.Tasks[:2] },
		"a job unlisted":   func(c *command.SubmitJobs) { c.Batch.Jobs = c.Batch.Jobs[:1] },
		"a job twice":      func(c *command.SubmitJobs) { c.Batch.Jobs[1] = c.Batch.Jobs[0] },
		"a child listed":   func(c *command.SubmitJobs) { c.Batch.Jobs[1].ID = "b1-child" },
		"a job of another": func(c *command.SubmitJobs) { c.Jobs[1].Batch = "b0" },
		"a job of none":    func(c *command.SubmitJobs) { c.Jobs[1].Batch = "" },
		"no record":        func(c *command.SubmitJobs) { c.Batch = nil },
	} {
		t.Run(name, func(t *testing.T) {
			cmd := batchOf("b1", 2)
			spoil(&cmd)
			wantRefused(t, m, cmd, farm.CodeInvalid)
		})
	}
	again := batchOf("b1", 2)
	again.Batch.ID = "b0"
	wantRefused(t, m, again, farm.CodeConflict)
	foreign := batchOf("b1", 2)
	foreign.Batch.Team = "nobody"
	wantRefused(t, m, foreign, farm.CodeNotFound)
}

func TestALargeBatchAppearsWithItsLastPart(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	whole := batchOf("b1", 6)
	parts := []command.SubmitJobs{
		{Jobs: whole.Jobs[:3], Tasks: whole.Tasks[:3]}, {Jobs: whole.Jobs[3:5], Tasks: whole.Tasks[3:5]},
	}
	for n, part := range parts {
		m.must(command.SubmitPart{Batch: "b1", Part: n, SubmitJobs: part, At: after(n)})
	}
	wantRefused(t, m, command.SubmitPart{Batch: "b1", Part: 1, SubmitJobs: parts[1], At: after(9)}, farm.CodeConflict)
	wantRefused(t, m, command.SubmitPart{Batch: "b1", Part: 2, At: after(9)}, farm.CodeInvalid)
	m.read(func(tx *Tx) error {
		if jobs, _, err := tx.Jobs("team", farm.JobQuery{}); err != nil || len(jobs) != 0 {
			t.Errorf("before the last part %d jobs can be seen, %v", len(jobs), err)
		}
		return nil
	})
	last := command.SubmitJobs{Batch: whole.Batch, Parts: 3, Jobs: whole.Jobs[5:], Tasks: whole.Tasks[5:]}
	wantRefused(t, m, last, farm.CodeConflict)
	last.Parts = 2
	result := m.must(last)
	if len(result.Jobs) != 7 || len(result.Tasks) != 7 {
		t.Errorf("%d jobs with %d tasks came out", len(result.Jobs), len(result.Tasks))
	}
	m.read(func(tx *Tx) error {
		batch, err := tx.Batch("b1")
		if len(batch.Jobs) != 6 {
			t.Errorf("the batch is %+v", batch)
		}
		return err
	})
	wantRefused(t, m, command.SubmitPart{Batch: "b1", Part: 0, SubmitJobs: parts[0], At: after(9)}, farm.CodeConflict)
	if left := m.keys(bucketBatchParts); len(left) != 0 {
		t.Errorf("the parts are still there: %q", left)
	}
}

func TestPartsThatNeverBecameABatchAreDropped(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	for n, id := range []string{"b1", "b2"} {
		whole := batchOf(id, 1)
		m.must(command.SubmitPart{Batch: id, SubmitJobs: command.SubmitJobs{Jobs: whole.Jobs, Tasks: whole.Tasks}, At: after(10 * n)})
	}
	m.must(command.DropParts{Before: after(5)})
	if left := m.keys(bucketBatchParts); len(left) != 1 || left[0] != partKey("b2", 0) {
		t.Errorf("left are %q", left)
	}
}

func (m *rig) keys(bucket []byte) (keys []string) {
	m.tables(func(t *tables) error {
		keys = t.keysUnder(bucket, "")
		return nil
	})
	return keys
}

func TestBatchesAreListedNewestFirst(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.PutTeam{Team: farm.Team{ID: "teal", Name: "Teal", CreatedAt: epoch}})
	m.must(command.PutTeam{Team: farm.Team{ID: "tear", Name: "Tear", CreatedAt: epoch}})
	for i := range 5 {
		m.must(batchOf(fmt.Sprintf("b%d", i), 1))
	}
	for cursor, want := range map[string]string{"": "b4 b3 then b3", "b3": "b2 b1 then b1", "b1": "b0 then "} {
		m.read(func(tx *Tx) error {
			got := ""
			batches, next, err := tx.Batches("team", cursor, 2)
			for _, b := range batches {
				got += b.ID + " "
			}
			if got += "then " + next; got != want {
				t.Errorf("after %q: %q, want %q", cursor, got, want)
			}
			return err
		})
	}
	m.read(func(tx *Tx) error {
		for _, team := range []string{"teal", "tear"} {
			if batches, next, err := tx.Batches(team, "", 2); len(batches) != 0 || next != "" || err != nil {
				t.Errorf("%s sees %v %q %v", team, batches, next, err)
			}
		}
		return nil
	})
}

func TestJobsAreHeldWithTheirFamilies(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.SetLevel{Level: command.HoldLevel, Version: "test"})
	m.must(batchOf("b1", 2))
	wantRefused(t, m, command.HoldJobs{Team: "team"}, farm.CodeInvalid)
	wantRefused(t, m, command.HoldJobs{Team: "other", IDs: []string{"b1-j0"}}, farm.CodeNotFound)
	result := m.must(command.HoldJobs{Team: "team", IDs: []string{"b1-j0"}, At: after(3)})
	if len(result.Jobs) != 2 || !result.Jobs[0].Hold || result.Jobs[1].ID != "b1-child" || !result.Jobs[1].Hold {
		t.Errorf("held %+v", result.Jobs)
	}
	if len(result.Tasks) != 1 || result.Tasks[0].ID != "b1-child.0" {
		t.Errorf("may no longer begin: %+v", result.Tasks)
	}
	wantRefused(t, m, commandtest.Lease("b1-child.0", 1, 4), farm.CodeConflict)
	m.must(command.ReleaseJobs{Team: "team", IDs: []string{"b1-j0"}, At: after(5)})
	lease(m, "b1-child.0", 1, 5)
	if result := m.must(command.HoldJobs{Team: "team", IDs: []string{"b1-j0"}, At: after(6)}); len(result.Jobs) != 2 || !result.Jobs[1].Hold || len(result.Tasks) != 0 {
		t.Errorf("held with a nested job that renders: %+v", result)
	}
	m.must(command.CancelJobs{Team: "team", IDs: []string{"b1-j1"}, At: after(7)})
	wantRefused(t, m, command.HoldJobs{Team: "team", IDs: []string{"b1-j1"}}, farm.CodeConflict)
}

func TestHeldJobsAreReleasedWithTheirFamilies(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	cmd := batchOf("b1", 2)
	for i := range cmd.Jobs {
		cmd.Jobs[i].Hold = true
	}
	m.must(cmd)
	wantRefused(t, m, command.ReleaseJobs{Team: "team"}, farm.CodeInvalid)
	wantRefused(t, m, command.ReleaseJobs{Team: "team", IDs: []string{"b1-j0", "none"}}, farm.CodeNotFound)
	wantRefused(t, m, command.ReleaseJobs{Team: "other", IDs: []string{"b1-j0"}}, farm.CodeNotFound)
	result := m.must(command.ReleaseJobs{Team: "team", IDs: []string{"b1-j0", "b1-j0"}, At: after(3)})
	if len(result.Jobs) != 2 || result.Jobs[0].ID != "b1-j0" || result.Jobs[0].Hold || result.Jobs[1].ID != "b1-child" || result.Jobs[1].Hold {
		t.Errorf("released %+v", result.Jobs)
	}
	if len(result.Tasks) != 1 || result.Tasks[0].ID != "b1-child.0" || result.Tasks[0].Status != farm.TaskReady {
		t.Errorf("may begin: %+v", result.Tasks)
	}
	if again := m.must(command.ReleaseJobs{Team: "team", IDs: []string{"b1-j0"}, At: after(4)}); len(again.Tasks) != 0 || !again.Jobs[0].UpdatedAt.Equal(after(3)) {
		t.Errorf("released again: %+v", again)
	}
	m.must(command.CancelJobs{Team: "team", IDs: []string{"b1-j1"}, At: after(5)})
	wantRefused(t, m, command.ReleaseJobs{Team: "team", IDs: []string{"b1-j1"}}, farm.CodeConflict)
}
