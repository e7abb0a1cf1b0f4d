package tables

import (
	"fmt"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
)

// damage changes rows behind the rules' back, as a fault of an earlier release might have left them.
func (m *rig) damage(fn func(t *tables)) {
	m.t.Helper()
	err := m.state.Update(func(change *layered.Change) error {
		t := changing(change)
		fn(t)
		t.flushCounts()
		return t.err
	})
	if err != nil {
		m.t.Fatalf("%v", err)
	}
}

// setStatus gives a job's head a status that its tasks do not have.
func (t *tables) setStatus(id string, status farm.JobStatus) {
	job, _ := t.head(id)
	was := job.Status
	job.Status = status
	t.saveJob(job, was)
}

// A state that can no longer be written ends these tests (rig.apply).

func TestACounterThatFallsBelowNothingStopsNobody(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	m.damage(func(t *tables) { t.add(t.countOfJobs("team", farm.JobQueued), -1) })
	m.must(command.CancelJobs{Team: "team", IDs: []string{"j1"}, At: after(2)})
	if m.jobStatus("j1") != farm.JobCancelled {
		t.Error("the job was not cancelled")
	}
	if len(m.breaches) != 1 || !strings.Contains(m.breaches[0].Error(), "counter") {
		t.Errorf("met %v", m.breaches)
	}
	submit(m, "j2", 3)
}

func TestACommandThatWouldBreakTheStateIsRefused(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	submit(m, "j2", 1)
	lease(m, "j1.0", 1, 2)
	lease(m, "j2.0", 1, 2)
	m.damage(func(t *tables) { t.setStatus("j1", farm.JobQueued) })
	before := m.content()
	results := m.batch(command.FinishTask{Task: "j1.0", Attempt: 1, At: after(3)})
	if refused := results[0].Refused; refused == nil || refused.Code != farm.CodeInternal || m.content() != before {
		t.Errorf("refused with %v, the state is the same: %v", refused, m.content() == before)
	}
	// Those that are applied with it stand.
	results = m.batch(
		command.ChangeJob{Team: "team", ID: "j2", Name: new("renamed"), At: after(4)},
		command.FinishTask{Task: "j1.0", Attempt: 1, At: after(4)},
		command.FinishTask{Task: "j2.0", Attempt: 1, At: after(4)},
	)
	if results[0].Refused != nil || results[1].Refused == nil || results[2].Refused != nil || m.jobStatus("j2") != farm.JobFinished || m.jobStatus("j1") != farm.JobQueued {
		t.Errorf("%v, %v, %v", results[0].Refused, results[1].Refused, results[2].Refused)
	}
	if len(m.breaches) != 2 {
		t.Errorf("met %v", m.breaches)
	}
}

func TestAPartThatWouldBreakTheStateIsRefusedByItself(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	var grants []command.Grant
	for i := range 4 {
		id := fmt.Sprint("j", i)
		submit(m, id, 1)
		lease(m, id+".0", 1, 2)
		grants = append(grants, command.Grant{Task: id + ".0", Attempt: 1, Agent: "a1"})
	}
	m.damage(func(t *tables) {
		t.setStatus("j1", farm.JobFailed)
		t.setStatus("j3", farm.JobFailed)
	})
	result := m.do(command.ExpireLeases{Leases: grants, Returned: true, At: after(3)})
	for i, refused := range result.Each {
		if (refused != nil) != (i%2 == 1) {
			t.Errorf("lease %d: %v", i, refused)
		}
	}
	if result.Refused != nil || m.taskStatus("j0.0") != farm.TaskReady || m.taskStatus("j1.0") != farm.TaskLeased || m.taskStatus("j2.0") != farm.TaskReady {
		t.Errorf("refused %v; the tasks are %s, %s and %s", result.Refused, m.taskStatus("j0.0"), m.taskStatus("j1.0"), m.taskStatus("j2.0"))
	}
	if len(result.Tasks) != 2 || len(result.Jobs) != 2 || len(m.breaches) != 2 {
		t.Errorf("%d tasks, %d jobs, %+v", len(result.Tasks), len(result.Jobs), m.breaches)
	}
}

func TestARowThatNoFileHoldsIsRefused(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	wantRefused(t, m, command.ChangeJob{Team: "team", ID: "j1", Tags: &[]string{strings.Repeat("t", 40_000)}, At: after(2)}, farm.CodeInternal)
	m.must(command.ChangeJob{Team: "team", ID: "j1", Tags: &[]string{"fine"}, At: after(3)})
}

// TestATemplateThatManyJobsWaitFor looks at the result of a command that moves many jobs: each stands in it once.
func TestATemplateThatManyJobsWaitFor(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.CreateTemplate{Template: farm.Template{ID: "slow", Team: "team", Type: "aep", Status: farm.TemplateAwaitingUpload, UploadNonce: "n", CreatedAt: epoch}})
	const many = 3000
	var jobs command.SubmitJobs
	for i := range many {
		job, task := jobOf(fmt.Sprintf("w%05d", i), 1)
		job.Template.ID = "slow"
		jobs.Jobs, jobs.Tasks = append(jobs.Jobs, job), append(jobs.Tasks, task)
	}
	m.must(jobs)
	m.must(command.ReceiveTemplate{ID: "slow", Nonce: "n", File: farm.FileRef{SHA256: "f2", Size: 10}, At: after(2)})
	result := m.must(command.FinishTemplate{ID: "slow", FileSHA256: "f2", At: after(3)})
	tasks := map[string]bool{}
	for _, task := range result.Tasks {
		tasks[task.ID] = task.Status == farm.TaskReady
	}
	if len(result.Jobs) != many || len(result.Tasks) != many || len(tasks) != many {
		t.Errorf("%d jobs and %d tasks, %d of them different", len(result.Jobs), len(result.Tasks), len(tasks))
	}
}
