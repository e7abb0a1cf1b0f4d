package tables

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// due gives the ids of jobs with a duty that had ended at a time.
func (m *rig) due(duty Duty, ended time.Time, limit int) (ids []string) {
	m.t.Helper()
	m.read(func(tx *Tx) error {
		jobs, err := tx.JobsWithDuty(duty, ended, limit)
		for _, job := range jobs {
			ids = append(ids, job.ID)
		}
		return err
	})
	return ids
}

func TestDutiesComeWithTheEndInItsOrder(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	for i, id := range []string{"late", "early", "unkept", "running"} {
		job, task := jobOf(id, 1)
		if id == "unkept" {
			job.Template, job.Private = farm.JobTemplate{Src: "https://x/a.aep"}, true
		}
		m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
		lease(m, id+".0", 1, 2)
		if id != "running" {
			m.must(command.FinishTask{Task: id + ".0", Attempt: 1, At: after(30 - 10*i)})
		}
	}
	for _, tc := range []struct {
		duty  Duty
		ended time.Time
		limit int
		want  []string
	}{
		{DutyRedact, after(100), 9, []string{"unkept", "early", "late"}},
		{DutyRedact, after(20), 9, []string{"unkept", "early"}},
		{DutyRedact, after(100), 1, []string{"unkept"}},
		{DutyErase, after(10), 9, []string{"unkept"}},
		{DutyOutputs, after(9), 9, nil},
		{DutyHistory, after(30), 9, []string{"unkept", "early", "late"}},
	} {
		if got := m.due(tc.duty, tc.ended, tc.limit); !slices.Equal(got, tc.want) {
			t.Errorf("%c until %v: %v, want %v", tc.duty, tc.ended, got, tc.want)
		}
	}
}

func TestRedactionIsKeptAndDoneOnce(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job, task := jobOf("j", 1)
	job.Assets = []farm.Asset{{Type: "text", LayerName: "title", Value: json.RawMessage(`"private"`)}}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	redact := command.RedactJobs{Jobs: []command.Redaction{{ID: "j", Error: "no [redacted]"}, {ID: "none"}}, At: after(9)}
	each := func() (codes []farm.Code) {
		for _, err := range m.do(redact).Each {
			if err == nil {
				codes = append(codes, "")
				continue
			}
			codes = append(codes, err.Code)
		}
		return codes
	}
	if got := each(); !slices.Equal(got, []farm.Code{farm.CodeConflict, farm.CodeNotFound}) {
		t.Errorf("a job that waits: %v", got)
	}
	lease(m, "j.0", 1, 2)
	m.must(command.FailTask{Task: "j.0", Attempt: 1, Message: "no private", At: after(3)})
	if got := each(); !slices.Equal(got, []farm.Code{"", farm.CodeNotFound}) {
		t.Errorf("a job that has ended: %v", got)
	}
	m.read(func(tx *Tx) error {
		job, err := tx.Job("j")
		if job.Error != "no [redacted]" || string(job.Assets[0].Value) != `"[redacted]"` || job.Assets[0].LayerName != "title" || !job.UpdatedAt.Equal(after(3)) {
			t.Errorf("redacted to %+v", job)
		}
		if task, err := tx.Task("j.0"); err != nil || task.Error != farm.Redacted {
			t.Errorf("its task: %+v, %v", task, err)
		}
		return err
	})
	if got := each(); !slices.Equal(got, []farm.Code{farm.CodeConflict, farm.CodeNotFound}) {
		t.Errorf("once more: %v", got)
	}
	if left := m.due(DutyRedact, after(100), 9); left != nil {
		t.Errorf("still to be redacted: %v", left)
	}
}

func TestErasedJobKeepsItsWebhook(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job, task := jobOf("j", 1)
	job.Private, job.Webhook = true, &farm.Webhook{URL: "https://hook"}
	job.Template = farm.JobTemplate{Src: "https://x/a.aep"}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	lease(m, "j.0", 1, 2)
	m.must(command.FinishTask{Task: "j.0", Attempt: 1, At: after(3)})
	m.must(command.RedactJobs{Jobs: []command.Redaction{{ID: "j"}}, Erase: true, At: after(4)})
	m.read(func(tx *Tx) error {
		job, err := tx.Job("j")
		if job.Template.Src != farm.Redacted || !job.ErasedAt.Equal(after(4)) || !job.RedactedAt.IsZero() || job.Webhook.URL != "https://hook" {
			t.Errorf("erased to %+v", job)
		}
		return err
	})
	if m.due(DutyErase, after(100), 9) != nil || len(m.due(DutyRedact, after(100), 9)) != 1 {
		t.Error("the duties do not fit what was done")
	}
	if again := m.do(command.RedactJobs{Jobs: []command.Redaction{{ID: "j"}}, Erase: true, At: after(5)}); again.Each[0] == nil {
		t.Error("erased twice")
	}
	m.must(command.RedactJobs{Jobs: []command.Redaction{{ID: "j"}}, At: after(6)})
	if m.due(DutyRedact, after(100), 9) != nil {
		t.Error("redacted and still to be redacted")
	}
}

func TestRedactionBeforeErasureLeavesThatToBeDone(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job, task := jobOf("j", 1)
	job.Private, job.Template = true, farm.JobTemplate{Src: farm.Redacted}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	m.must(command.CancelJobs{Team: "team", IDs: []string{"j"}, At: after(3)})
	m.must(command.RedactJobs{Jobs: []command.Redaction{{ID: "j"}}, At: after(4)})
	if len(m.due(DutyErase, after(100), 9)) != 1 {
		t.Fatal("the job is no longer to be erased")
	}
	m.must(command.RedactJobs{Jobs: []command.Redaction{{ID: "j"}}, Erase: true, At: after(5)})
	if m.due(DutyErase, after(100), 9) != nil || m.due(DutyRedact, after(100), 9) != nil {
		t.Error("something is left to be done")
	}
}

// endFamily submits a parent with two children and finishes all of them.
func endFamily(m *rig) {
	family(m)
	for _, id := range []string{"c1", "c2", "p"} {
		lease(m, id+".0", 1, 3) // it takes no time, so that it leaves none behind as its team's
		m.must(command.FinishTask{Task: id + ".0", Attempt: 1, Output: farm.OutputRef{Key: id}, At: after(3)})
	}
}

func TestFamilyGoesTogether(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	empty := m.content()
	endFamily(m)
	if got := m.due(DutyHistory, after(100), 9); !slices.Equal(got, []string{"p"}) {
		t.Fatalf("with a history of their own: %v", got)
	}
	if got := m.do(command.PurgeJobs{IDs: []string{"c1"}}).Each; got[0] == nil {
		t.Error("a nested job went without its parent")
	}
	m.must(command.ExpireOutputs{IDs: []string{"p"}, At: after(50)})
	m.read(func(tx *Tx) error {
		members, err := tx.Family("p")
		if len(members) != 3 {
			t.Errorf("a family of %d", len(members))
		}
		for _, job := range members {
			if !job.Output.GoneAt.Equal(after(50)) {
				t.Errorf("the result of %s is still there", job.ID)
			}
		}
		return err
	})
	m.must(command.PurgeJobs{IDs: []string{"p"}})
	if m.content() != empty {
		t.Error("something is left of a family that was forgotten")
	}
	if got := m.do(command.PurgeJobs{IDs: []string{"p"}}).Each; got[0] == nil || got[0].Code != farm.CodeNotFound {
		t.Errorf("forgotten twice: %v", got)
	}
}

func TestNestedJobThatOutlivesItsParentStandsForItself(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	family(m)
	lease(m, "c1.0", 1, 2)
	lease(m, "c2.0", 1, 2)
	m.must(command.FailTask{Task: "c1.0", Attempt: 1, Message: "broke", At: after(3)})
	m.must(command.PurgeJobs{IDs: []string{"p"}})
	if status := m.jobStatus("c2"); status != farm.JobRendering {
		t.Fatalf("the job that renders is %s", status)
	}
	m.must(command.FinishTask{Task: "c2.0", Attempt: 1, At: after(9)})
	if got := m.due(DutyHistory, after(100), 9); !slices.Equal(got, []string{"c2"}) {
		t.Errorf("left with a history: %v", got)
	}
}

func TestBatchGoesWithItsLastJob(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	empty := m.content()
	cmd := command.SubmitJobs{Batch: &farm.Batch{ID: "b", Team: "team", Total: 2}}
	for i, id := range []string{"j1", "j2"} {
		job, task := jobOf(id, 1)
		job.Batch = "b"
		cmd.Jobs, cmd.Tasks = append(cmd.Jobs, job), append(cmd.Tasks, task)
		cmd.Batch.Jobs = append(cmd.Batch.Jobs, farm.BatchJob{Index: i, ID: id})
	}
	m.must(cmd)
	m.must(command.CancelJobs{Team: "team", IDs: []string{"j1", "j2"}, At: after(2)})
	m.must(command.PurgeJobs{IDs: []string{"j1"}})
	m.read(func(tx *Tx) error {
		_, err := tx.Batch("b")
		return err
	})
	m.must(command.PurgeJobs{IDs: []string{"j2"}})
	if m.content() != empty {
		t.Error("something is left of a batch that was forgotten")
	}
}
