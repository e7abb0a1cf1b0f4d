package tables

import (
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func TestPlainJobFromSubmissionToResult(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	result := m.must(command.LeaseTasks{Grants: []command.Grant{{Task: "j1.0", Attempt: 1, Agent: "a1"}}, At: after(2)})
	if job := result.Jobs[0]; job.Status != farm.JobRendering || !job.StartedAt.Equal(after(2)) {
		t.Errorf("leased: %+v", job)
	}
	output := farm.OutputRef{FileRef: farm.FileRef{SHA256: "o"}, Key: "outputs/j1/1"}
	finish := command.FinishTask{Task: "j1.0", Attempt: 1, Output: output, Warnings: []string{"a", "b", "a"}, At: after(9)}
	result = m.must(finish)
	job := result.Jobs[0]
	if job.Status != farm.JobFinished || job.Output == nil || *job.Output != output || !job.FinishedAt.Equal(after(9)) || job.Progress != 100 || len(job.Warnings) != 2 {
		t.Errorf("finished: %+v", job)
	}
	content := m.content()
	finish.Output.Key, finish.At = "outputs/other", after(20)
	if again := m.must(finish); m.content() != content || again.Jobs[0].Output.Key != "outputs/j1/1" {
		t.Error("a report that came twice changed the result")
	}
}

func TestStaleReportsChangeNothing(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	wantRefused(t, m, command.FinishTask{Task: "j1.0", Attempt: 0, At: after(2)}, farm.CodeConflict)
	lease(m, "j1.0", 1, 2)
	m.must(command.ExpireLeases{Leases: []command.Grant{{Task: "j1.0", Attempt: 1, Agent: "a1"}}, At: after(3)})
	if got := m.jobStatus("j1"); got != farm.JobQueued {
		t.Errorf("a job that lost its machine is %s", got)
	}
	wantRefused(t, m, command.FinishTask{Task: "j1.0", Attempt: 1, At: after(4)}, farm.CodeConflict)
	lease(m, "j1.0", 2, 5)
	for _, cmd := range []command.Command{
		command.FinishTask{Task: "j1.0", Attempt: 1}, command.FinishTask{Task: "j1.0", Attempt: 3},
		command.FailTask{Task: "j1.0", Attempt: 1, Message: "x"},
		command.ExpireLeases{Leases: []command.Grant{{Task: "j1.0", Attempt: 1, Agent: "a1"}}},
		command.ExpireLeases{Leases: []command.Grant{{Task: "j1.0", Attempt: 2, Agent: "a2"}}},
		command.LeaseTasks{Grants: []command.Grant{{Task: "j1.0", Attempt: 3, Agent: "a1"}}},
	} {
		wantRefused(t, m, cmd, farm.CodeConflict)
	}
	wantRefused(t, m, command.FinishTask{Task: "none.0", Attempt: 1}, farm.CodeNotFound)
}

func TestFailuresAreTriedAgainUntilTheyAreTooMany(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	for attempt := 1; attempt < farm.MaxAttempts; attempt++ {
		lease(m, "j1.0", attempt, 10*attempt)
		result := m.must(command.FailTask{Task: "j1.0", Attempt: attempt, Message: "crashed", Retry: true, NotBefore: after(10*attempt + 5), At: after(10*attempt + 1)})
		if task := result.Tasks[0]; task.Status != farm.TaskReady || task.Error != "crashed" || len(task.Avoid) != 1 {
			t.Fatalf("after failure %d: %+v", attempt, task)
		}
		wantRefused(t, m, command.LeaseTasks{Grants: []command.Grant{{Task: "j1.0", Attempt: attempt + 1, Agent: "a1"}}, At: after(10*attempt + 2)}, farm.CodeConflict)
	}
	lease(m, "j1.0", farm.MaxAttempts, 100)
	result := m.must(command.FailTask{Task: "j1.0", Attempt: farm.MaxAttempts, Message: "crashed again", Retry: true, At: after(101)})
	if job := result.Jobs[0]; job.Status != farm.JobFailed || job.Error != "crashed again" || !job.ErrorAt.Equal(after(101)) {
		t.Errorf("job %+v", job)
	}
	if again := m.must(command.FailTask{Task: "j1.0", Attempt: farm.MaxAttempts, Message: "late", At: after(110)}); again.Jobs[0].Error != "crashed again" {
		t.Error("a report that came twice changed the error")
	}
}

func TestFailureThatIsNotToBeTriedAgainEndsTheJob(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job, task := jobOf("j1", 1)
	second := task
	second.ID = "j1.1"
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task, second}})
	lease(m, "j1.0", 1, 2)
	lease(m, "j1.1", 1, 2)
	m.must(command.FailTask{Task: "j1.1", Attempt: 1, Message: "Layer 'x' not found in composition 'main'", At: after(3)})
	if m.jobStatus("j1") != farm.JobFailed || m.taskStatus("j1.0") != farm.TaskCancelled || m.taskStatus("j1.1") != farm.TaskFailed {
		t.Errorf("job %s, tasks %s and %s", m.jobStatus("j1"), m.taskStatus("j1.0"), m.taskStatus("j1.1"))
	}
	wantRefused(t, m, command.FinishTask{Task: "j1.0", Attempt: 1}, farm.CodeConflict)
}

func TestVanishedMachineIsNamedAtLast(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	var result command.Result
	for attempt := 1; attempt <= farm.MaxAttempts; attempt++ {
		lease(m, "j1.0", attempt, attempt)
		result = m.must(command.ExpireLeases{Leases: []command.Grant{{Task: "j1.0", Attempt: attempt, Agent: "a1"}}, At: after(attempt)})
	}
	if job := result.Jobs[0]; job.Status != farm.JobFailed || !strings.Contains(job.Error, "mac a1") {
		t.Errorf("job %+v", job)
	}
}

func TestReturnedLeasesAreNoFailures(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	for attempt := 1; attempt <= 3*farm.MaxAttempts; attempt++ {
		lease(m, "j1.0", attempt, attempt)
		m.must(command.ExpireLeases{Leases: []command.Grant{{Task: "j1.0", Attempt: attempt, Agent: "a1"}}, Returned: true, At: after(attempt)})
	}
	if m.taskStatus("j1.0") != farm.TaskReady || m.jobStatus("j1") != farm.JobQueued {
		t.Errorf("task %s of job %s", m.taskStatus("j1.0"), m.jobStatus("j1"))
	}
}

func TestTemplateHoldsItsJobsBack(t *testing.T) {
	for name, tc := range map[string]struct {
		err  string
		job  farm.JobStatus
		task farm.TaskStatus
	}{
		"read":   {"", farm.JobQueued, farm.TaskReady},
		"broken": {"The file is cut short.", farm.JobFailed, farm.TaskFailed},
	} {
		t.Run(name, func(t *testing.T) {
			m := newRig(t, t.TempDir(), "state")
			defer m.end()
			furnish(m)
			m.must(command.CreateTemplate{Template: farm.Template{ID: "new", Team: "team", DisplayName: "Opener", Status: farm.TemplateAwaitingUpload, UploadNonce: "n"}})
			job, task := jobOf("j1", 1)
			job.Template.ID = "new"
			m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
			wantRefused(t, m, command.LeaseTasks{Grants: []command.Grant{{Task: "j1.0", Attempt: 1, Agent: "a1"}}}, farm.CodeConflict)
			wantRefused(t, m, command.DeleteTemplate{Team: "team", ID: "new"}, farm.CodeConflict)
			wantRefused(t, m, command.ReceiveTemplate{ID: "new", Nonce: "old", File: farm.FileRef{SHA256: "x"}}, farm.CodeGone)
			m.must(command.ReceiveTemplate{ID: "new", Nonce: "n", File: farm.FileRef{SHA256: "x"}})
			wantRefused(t, m, command.FinishTemplate{ID: "new", FileSHA256: "y"}, farm.CodeConflict)
			m.must(command.FinishTemplate{ID: "new", FileSHA256: "x", Error: tc.err, At: after(5)})
			if m.jobStatus("j1") != tc.job || m.taskStatus("j1.0") != tc.task {
				t.Fatalf("job %s, task %s", m.jobStatus("j1"), m.taskStatus("j1.0"))
			}
			if tc.err == "" {
				return
			}
			m.read(func(tx *Tx) error {
				job, err := tx.Job("j1")
				if !strings.Contains(job.Error, "Opener") || !strings.Contains(job.Error, tc.err) {
					t.Errorf("the job says %q", job.Error)
				}
				return err
			})
			job, task = jobOf("j2", 6)
			job.Template.ID = "new"
			wantRefused(t, m, command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}, farm.CodeInvalid)
			m.must(command.RenewUpload{Team: "team", ID: "new", Nonce: "n2", At: after(7)})
			m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
		})
	}
}

func TestDownloadThatFailsEndsTheTemplate(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.CreateTemplate{Template: farm.Template{ID: "new", Team: "team", Status: farm.TemplateDownloading, Src: "https://x"}})
	m.must(command.FinishTemplate{ID: "new", Error: "The file could not be fetched (404)."})
	m.read(func(tx *Tx) error {
		template, err := tx.Template("new")
		if template.Status != farm.TemplateError {
			t.Errorf("template is %s", template.Status)
		}
		unread, _ := tx.UnreadTemplates()
		if len(unread) != 0 {
			t.Errorf("%d templates are still to be read", len(unread))
		}
		return err
	})
}

// family submits parent "p" with the children "c1" and "c2".
func family(m *rig) {
	parent, parentTask := jobOf("p", 1)
	cmd := command.SubmitJobs{Tasks: []farm.Task{parentTask}}
	for _, id := range []string{"c1", "c2"} {
		child, task := jobOf(id, 1)
		child.Parent = "p"
		parent.Children = append(parent.Children, id)
		cmd.Jobs, cmd.Tasks = append(cmd.Jobs, child), append(cmd.Tasks, task)
	}
	cmd.Jobs = append(cmd.Jobs, parent)
	m.must(cmd)
}

func TestParentWaitsForAllItsChildren(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	family(m)
	for _, child := range []string{"c1", "c2"} {
		if m.jobStatus("p") != farm.JobPending || m.taskStatus("p.0") != farm.TaskBlocked {
			t.Fatalf("parent %s, task %s before %s has finished", m.jobStatus("p"), m.taskStatus("p.0"), child)
		}
		lease(m, child+".0", 1, 2)
		m.must(command.FinishTask{Task: child + ".0", Attempt: 1, At: after(3)})
	}
	if m.jobStatus("p") != farm.JobQueued || m.taskStatus("p.0") != farm.TaskReady {
		t.Errorf("parent %s, task %s", m.jobStatus("p"), m.taskStatus("p.0"))
	}
}

func TestChildThatFailsTakesItsFamilyWithIt(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	family(m)
	lease(m, "c1.0", 1, 2)
	result := m.must(command.FailTask{Task: "c1.0", Attempt: 1, Message: "broke", At: after(3)})
	if m.jobStatus("p") != farm.JobFailed || m.jobStatus("c2") != farm.JobCancelled || len(result.Jobs) != 3 {
		t.Errorf("parent %s, sibling %s, %d jobs in the result", m.jobStatus("p"), m.jobStatus("c2"), len(result.Jobs))
	}
	m.read(func(tx *Tx) error {
		parent, err := tx.Job("p")
		if !strings.Contains(parent.Error, "c1") || !strings.Contains(parent.Error, "broke") {
			t.Errorf("the parent says %q", parent.Error)
		}
		return err
	})
}

func TestCancel(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	family(m)
	for i, id := range []string{"j1", "j2", "j3"} {
		submit(m, id, i)
	}
	lease(m, "j2.0", 1, 5)
	wantRefused(t, m, command.CancelJobs{Team: "team", IDs: []string{"j1", "j2"}}, farm.CodeConflict)
	wantRefused(t, m, command.CancelJobs{Team: "team", IDs: []string{"j1", "j1"}}, farm.CodeInvalid)
	wantRefused(t, m, command.CancelJobs{Team: "team", IDs: []string{"j1", "none"}}, farm.CodeNotFound)
	wantRefused(t, m, command.CancelJobs{Team: "other", IDs: []string{"j1"}}, farm.CodeNotFound)
	wantRefused(t, m, command.CancelJobs{Team: "team"}, farm.CodeInvalid)

	result := m.must(command.CancelJobs{Team: "team", IDs: []string{"j3", "j1"}, At: after(6)})
	if len(result.Jobs) != 2 || result.Jobs[0].ID != "j3" || result.Jobs[1].Status != farm.JobCancelled {
		t.Errorf("cancelled %+v", result.Jobs)
	}
	wantRefused(t, m, command.CancelJobs{Team: "team", IDs: []string{"j1"}}, farm.CodeConflict)

	result = m.must(command.CancelJobs{Team: "team", IDs: []string{"j2"}, Force: true, At: after(7)})
	if task := result.Tasks[0]; task.Status != farm.TaskCancelled || task.Agent != "a1" || task.Attempt != 1 {
		t.Errorf("the machine cannot be told from %+v", task)
	}
	wantRefused(t, m, command.FinishTask{Task: "j2.0", Attempt: 1}, farm.CodeConflict)

	result = m.must(command.CancelJobs{Team: "team", IDs: []string{"c2"}, At: after(8)})
	if len(result.Jobs) != 3 || result.Jobs[0].ID != "c2" || m.jobStatus("p") != farm.JobCancelled || m.jobStatus("c1") != farm.JobCancelled {
		t.Errorf("with a child went %d jobs", len(result.Jobs)-1)
	}
}

func TestSubmissionIsTakenWholeOrNotAtAll(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "taken", 1)
	good, goodTask := jobOf("good", 2)
	for name, tc := range map[string]struct {
		spoil func(*farm.Job, *farm.Task)
		code  farm.Code
	}{
		"id twice":         {func(j *farm.Job, _ *farm.Task) { j.ID = "good" }, farm.CodeInvalid},
		"id taken":         {func(j *farm.Job, _ *farm.Task) { j.ID = "taken" }, farm.CodeConflict},
		"output taken":     {func(j *farm.Job, _ *farm.Task) { j.OutputName = "taken-out.mp4" }, farm.CodeInvalid},
		"output of others": {func(j *farm.Job, _ *farm.Task) { j.OutputName = "bad-a-b.mp4" }, farm.CodeInvalid},
		"tag with a zero":  {func(j *farm.Job, _ *farm.Task) { j.Tags = []string{"a\x00b"} }, farm.CodeInvalid},
		"no output name":   {func(j *farm.Job, _ *farm.Task) { j.OutputName = "" }, farm.CodeInvalid},
		"id with a zero":   {func(j *farm.Job, _ *farm.Task) { j.ID = "a\x00b" }, farm.CodeInvalid},
		"unknown team":     {func(j *farm.Job, _ *farm.Task) { j.Team = "x" }, farm.CodeNotFound},
		"unknown template": {func(j *farm.Job, _ *farm.Task) { j.Template.ID = "x" }, farm.CodeNotFound},
		"unknown file":     {func(j *farm.Job, _ *farm.Task) { j.Assets = []farm.Asset{{Src: "farm://x"}} }, farm.CodeInvalid},
		"unknown child":    {func(j *farm.Job, _ *farm.Task) { j.Children = []string{"x"} }, farm.CodeInvalid},
		"unknown parent":   {func(j *farm.Job, _ *farm.Task) { j.Parent = "good" }, farm.CodeInvalid},
		"own child":        {func(j *farm.Job, _ *farm.Task) { j.Parent, j.Children = "bad", []string{"bad"} }, farm.CodeInvalid},
		"no task":          {func(_ *farm.Job, k *farm.Task) { k.ID, k.Job = "good.1", "good" }, farm.CodeInvalid},
		"task twice":       {func(_ *farm.Job, k *farm.Task) { k.ID, k.Job = "good.0", "good" }, farm.CodeInvalid},
		"foreign task":     {func(_ *farm.Job, k *farm.Task) { k.Job = "taken" }, farm.CodeInvalid},
		"task's other id":  {func(_ *farm.Job, k *farm.Task) { k.ID = "else.0" }, farm.CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			bad, badTask := jobOf("bad", 3)
			tc.spoil(&bad, &badTask)
			wantRefused(t, m, command.SubmitJobs{Jobs: []farm.Job{good, bad}, Tasks: []farm.Task{goodTask, badTask}}, tc.code)
		})
	}
	wantRefused(t, m, command.SubmitJobs{}, farm.CodeInvalid)
}

func TestFilesStayWhileJobsNeedThem(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.PutFile{File: farm.StoredFile{FileRef: farm.FileRef{SHA256: "pic"}, Team: "team", ExpiresAt: after(10)}})
	m.must(command.PutFile{File: farm.StoredFile{FileRef: farm.FileRef{SHA256: "idle"}, Team: "team", ExpiresAt: after(10)}})
	m.must(command.PutFile{File: farm.StoredFile{FileRef: farm.FileRef{SHA256: "fresh"}, Team: "team", ExpiresAt: after(1000)}})
	job, task := jobOf("j1", 1)
	job.Assets = []farm.Asset{{Type: "image", Src: "farm://pic"}}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	referenced := func(want map[string]bool) {
		t.Helper()
		m.read(func(tx *Tx) error {
			for sha256, want := range want {
				if got, err := tx.FileReferenced(sha256); got != want || err != nil {
					t.Errorf("FileReferenced(%s) = %v, %v", sha256, got, err)
				}
			}
			return nil
		})
	}
	m.must(command.ExpireFiles{At: after(50)})
	referenced(map[string]bool{"pic": true, "idle": false, "fresh": true, "f1": true, "i1": true, "never": false})
	m.must(command.CancelJobs{Team: "team", IDs: []string{"j1"}, At: after(60)})
	m.must(command.ExpireFiles{At: after(61)})
	m.must(command.DeleteTemplate{Team: "team", ID: "tmpl"})
	referenced(map[string]bool{"pic": false, "fresh": true, "f1": false, "i1": false})
}

func TestMachines(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	wantRefused(t, m, command.EnrolAgent{Agent: farm.Agent{ID: "a1", SecretHash: "x"}}, farm.CodeConflict)
	wantRefused(t, m, command.EnrolAgent{Agent: farm.Agent{ID: "a3", SecretHash: "hash of a1"}}, farm.CodeConflict)
	wantRefused(t, m, command.EnrolAgent{Agent: farm.Agent{ID: "a3"}}, farm.CodeInvalid)
	wantRefused(t, m, command.PutInventory{ID: "none"}, farm.CodeNotFound)
	m.must(command.PutInventory{ID: "a1", Inventory: farm.Inventory{CPUs: 4}})
	m.must(command.RemoveAgent{ID: "a2"})
	submit(m, "j1", 1)
	wantRefused(t, m, command.LeaseTasks{Grants: []command.Grant{{Task: "j1.0", Attempt: 1, Agent: "a2"}}}, farm.CodeNotFound)
	m.read(func(tx *Tx) error {
		if _, err := tx.AgentBySecretHash("hash of a2"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("the credential of a removed machine answers %v", err)
		}
		agent, err := tx.AgentBySecretHash("hash of a1")
		if agent.Inventory.CPUs != 4 || agent.Name != "mac a1" {
			t.Errorf("machine %+v", agent)
		}
		return err
	})
}
