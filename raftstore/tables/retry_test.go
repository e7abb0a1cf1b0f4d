package tables

import (
	"fmt"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// failOn leases a task to an agent and has the attempt fail.
func failOn(m *rig, task, agent string, attempt int, class farm.FailureClass) command.Result {
	m.must(command.LeaseTasks{Grants: []command.Grant{{Task: task, Attempt: attempt, Agent: agent}}, At: after(10 * attempt)})
	return m.must(command.FailTask{Task: task, Attempt: attempt, Message: "broke", Class: class, At: after(10*attempt + 1)})
}

// submitOf submits a job of a template.
func submitOf(m *rig, id, src string) {
	job, task := jobOf(id, 1)
	job.Template = farm.JobTemplate{Src: src}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
}

func TestWhatFollowsOnAFailureIsItsClasss(t *testing.T) {
	tests := []struct {
		class    farm.FailureClass
		task     farm.TaskStatus
		failures int
		barred   int
	}{
		{farm.FailureTransient, farm.TaskReady, 1, 0},
		{farm.FailureLicence, farm.TaskReady, 0, 0},
		{farm.FailureDeterministic, farm.TaskFailed, 1, 0},
		{farm.FailureWorker, farm.TaskReady, 1, 1},
	}
	for _, tt := range tests {
		t.Run(string(tt.class), func(t *testing.T) {
			m := newRig(t, t.TempDir(), "state")
			defer m.end()
			furnish(m)
			submit(m, "j1", 1)
			task := failOn(m, "j1.0", "a1", 1, tt.class).Tasks[0]
			if task.Status != tt.task || task.Failures != tt.failures || len(task.Barred) != tt.barred {
				t.Errorf("the task is %+v", task)
			}
		})
	}
}

func TestALicenceIsWaitedForAsLongAsItTakes(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	for attempt := 1; attempt <= maxAttemptRecords+5; attempt++ {
		task := failOn(m, "j1.0", "a1", attempt, farm.FailureLicence).Tasks[0]
		if task.Status != farm.TaskReady || task.Licences != attempt {
			t.Fatalf("after %d tries the task is %+v", attempt, task)
		}
	}
	m.tables(func(tb *tables) error {
		if records := tb.attempts("j1.0"); len(records) != maxAttemptRecords || records[0].Number != 6 {
			t.Errorf("%d attempts are remembered, from number %d on", len(records), records[0].Number)
		}
		return tb.err
	})
}

func TestAMachineThatFailedATaskForItselfNeverGetsItAgain(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	failOn(m, "j1.0", "a1", 1, farm.FailureWorker)
	wantRefused(t, m, command.LeaseTasks{Grants: []command.Grant{{Task: "j1.0", Attempt: 2, Agent: "a1"}}, At: after(50)}, farm.CodeConflict)
	result := failOn(m, "j1.0", "a2", 2, farm.FailureWorker)
	if job := result.Jobs[0]; job.Status != farm.JobFailed || !strings.Contains(job.Error, "no other machine is left") {
		t.Errorf("when all machines failed it for themselves the job is %s: %s", job.Status, job.Error)
	}
}

func TestJobsMaySayHowOftenTheirTasksAreTried(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job, task := jobOf("j1", 1)
	job.MaxAttempts = 1
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	if got := failOn(m, "j1.0", "a1", 1, farm.FailureTransient).Jobs[0]; got.Status != farm.JobFailed {
		t.Errorf("the job is %s", got.Status)
	}
}

func TestAJobOfManyTasksEndsWhenTooManyAttemptsFail(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job, _ := jobOf("j1", 1)
	var tasks []farm.Task
	for i := range 12 {
		tasks = append(tasks, farm.Task{ID: fmt.Sprintf("j1.%d", i), Job: "j1", Team: "team", Kind: farm.TaskRender})
	}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: tasks})
	for i := range 10 {
		result := failOn(m, fmt.Sprintf("j1.%d", i), "a1", 1, farm.FailureTransient)
		if got, want := result.Jobs[0].Status.Ended(), i == 9; got != want {
			t.Fatalf("after %d failures the job is %s", i+1, result.Jobs[0].Status)
		}
	}
}

func TestAMachineOnWhichJobAfterJobFailsIsSetAside(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	setAside := func() *farm.SetAside {
		var agent farm.Agent
		m.tables(func(tb *tables) error { agent, _ = tb.agent("a1"); return tb.err })
		return agent.SetAside
	}
	for i := range farm.SetAsideAfter {
		id := fmt.Sprintf("j%d", i)
		submit(m, id, 1)
		if setAside() != nil {
			t.Fatalf("set aside after %d failures", i)
		}
		failOn(m, id+".0", "a1", 1, farm.FailureTransient)
		failOn(m, id+".0", "a1", 2, farm.FailureTransient) // one job counts once
	}
	if aside := setAside(); aside == nil || !strings.Contains(aside.Reason, "5 jobs in a row") || aside.Until.Sub(aside.At) != farm.SetAsideFor {
		t.Fatalf("it is %+v", aside)
	}
	submit(m, "good", 2)
	m.must(command.LeaseTasks{Grants: []command.Grant{{Task: "good.0", Attempt: 1, Agent: "a1"}}, At: after(90)})
	result := m.must(command.FinishTask{Task: "good.0", Attempt: 1, At: after(91)})
	if setAside() != nil || len(result.Agents) != 1 {
		t.Errorf("after an attempt that went well it is %+v, told of %d machines", setAside(), len(result.Agents))
	}
}

func TestWhatCannotBeRenderedSpeaksAgainstNoMachine(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	for i := range 2 * farm.SetAsideAfter {
		id := fmt.Sprintf("j%d", i)
		submit(m, id, 1)
		class := []farm.FailureClass{farm.FailureDeterministic, farm.FailureLicence}[i%2]
		if result := failOn(m, id+".0", "a1", 1, class); len(result.Agents) > 0 {
			t.Fatalf("it is %+v", result.Agents[0].SetAside)
		}
	}
}

func TestAMachineThatSpoilsTheJobsOfManyTemplatesIsSetAside(t *testing.T) {
	most := spoiltFactor * farm.SetAsideAfter
	for name, c := range map[string]struct {
		level     int
		templates int
		aside     bool
	}{
		"many templates":                  {command.NewestLevel, most, true},
		"too few":                         {command.NewestLevel, most - 1, false},
		"as every release knows the rule": {command.ClusterLevel, most, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newRig(t, t.TempDir(), "state")
			defer m.end()
			furnish(m)
			if c.level > command.ClusterLevel {
				m.must(command.SetLevel{Level: c.level, Version: "v"})
			}
			var told []farm.Agent
			for i := range 2 * most { // each template twice: one counts once
				id := fmt.Sprintf("j%d", i)
				submitOf(m, id, fmt.Sprintf("https://files.example/%d.aep", i%c.templates))
				told = append(told, failOn(m, id+".0", "a1", 1, farm.FailureDeterministic).Agents...)
			}
			if c.aside != (len(told) > 0) {
				t.Fatalf("told of %d machines", len(told))
			}
			if c.aside && !strings.Contains(told[0].SetAside.Reason, fmt.Sprintf("%d templates in a row failed for good", most)) {
				t.Errorf("the reason is %q", told[0].SetAside.Reason)
			}
			submit(m, "good", 2)
			m.must(command.LeaseTasks{Grants: []command.Grant{{Task: "good.0", Attempt: 1, Agent: "a1"}}, At: after(90)})
			m.must(command.FinishTask{Task: "good.0", Attempt: 1, At: after(91)})
			m.tables(func(tb *tables) error {
				if health := tb.health("a1"); len(health.Spoilt) > 0 || health.SetAside != nil {
					t.Errorf("after an attempt that went well it is %+v", health)
				}
				return tb.err
			})
		})
	}
}

func TestAResultSaysWhetherJobsAreCalledAsBefore(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	if res := m.must(command.LeaseTasks{Grants: []command.Grant{{Task: "j1.0", Attempt: 1, Agent: "a1"}}, At: after(1)}); !res.Named {
		t.Error("a lease is said to change what is searched for in its job")
	}
	name := "sunrise"
	if res := m.must(command.ChangeJob{Team: "team", ID: "j1", Name: &name, At: after(2)}); res.Named {
		t.Error("a job that was renamed is said to be called as before")
	}
	if res := m.must(command.FailTask{Task: "j1.0", Attempt: 1, Message: "broke", Class: farm.FailureDeterministic, At: after(3)}); !res.Named {
		t.Error("a failure is said to change what is searched for in its job")
	}
}
