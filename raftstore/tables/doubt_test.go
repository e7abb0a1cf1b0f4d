package tables

import (
	"fmt"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// doubtRig is a farm on which jobs of one template fail for good on the machine a1 until the next one of them makes it doubted.
func doubtRig(t *testing.T, level int) *rig {
	m := newRig(t, t.TempDir(), "state")
	t.Cleanup(func() { m.end() })
	furnish(m)
	if level > command.ClusterLevel {
		m.must(command.SetLevel{Level: level, Version: "v"})
	}
	failAll(t, m, "j", farm.SetAsideAfter-1)
	return m
}

// failAll has so many jobs of one template fail for good on a1, each at its first attempt.
func failAll(t *testing.T, m *rig, name string, jobs int) {
	t.Helper()
	for i := range jobs {
		if result := failNext(m, fmt.Sprint(name, i)); result.Jobs[0].Status != farm.JobFailed || len(result.Agents) > 0 {
			t.Fatalf("%s%d is %s, and %d machines are told of", name, i, result.Jobs[0].Status, len(result.Agents))
		}
	}
}

// failNext submits a job and has it fail for good on a1.
func failNext(m *rig, id string) command.Result {
	submitOf(m, id, "https://files.example/one.aep")
	return failOn(m, id+".0", "a1", 1, farm.FailureDeterministic)
}

// finishOn has an attempt of a task go well on a machine.
func finishOn(m *rig, task, agent string, attempt int) command.Result {
	m.must(command.LeaseTasks{Grants: []command.Grant{{Task: task, Attempt: attempt, Agent: agent}}, At: after(90)})
	return m.must(command.FinishTask{Task: task, Attempt: attempt, At: after(91)})
}

func healthOf(t *testing.T, m *rig, agent string) (health farm.Health) {
	t.Helper()
	m.tables(func(tb *tables) error {
		health = tb.health(agent)
		return tb.err
	})
	return health
}

func TestAMachineThatSpoilsTheJobsOfOneTemplateIsSetAside(t *testing.T) {
	m := doubtRig(t, command.NewestLevel)
	result := failNext(m, "x")
	if job, task := result.Jobs[0], result.Tasks[0]; job.Status.Ended() || task.Status != farm.TaskReady || len(task.Barred) > 0 {
		t.Fatalf("the job is %s, its task %+v: no other machine tries it", job.Status, task)
	}
	result = finishOn(m, "x.0", "a2", 2)
	if result.Jobs[0].Status != farm.JobFinished {
		t.Errorf("the job is %s", result.Jobs[0].Status)
	}
	if len(result.Agents) != 1 || result.Agents[0].ID != "a1" || result.Agents[0].SetAside == nil ||
		!strings.Contains(result.Agents[0].SetAside.Reason, fmt.Sprintf("%d jobs in a row failed for good on it", farm.SetAsideAfter)) {
		t.Fatalf("told of %+v", result.Agents)
	}
	// Once it is let work again, the next job that it spoils is tried elsewhere at once.
	if result := failNext(m, "y"); result.Jobs[0].Status.Ended() {
		t.Errorf("the job is %s", result.Jobs[0].Status)
	}
	// What goes well there ends the doubt.
	submitOf(m, "z", "https://files.example/one.aep")
	finishOn(m, "z.0", "a1", 1)
	if told := finishOn(m, "y.0", "a2", 2).Agents; len(told) > 0 {
		t.Errorf("told of %+v", told)
	}
	if health := healthOf(t, m, "a1"); health.ForGood > 0 || health.SetAside != nil {
		t.Errorf("its health is %+v", health)
	}
}

func TestJobsThatFailOnTwoMachinesSpeakAgainstNeither(t *testing.T) {
	m := doubtRig(t, command.NewestLevel)
	for i := range 3 {
		id := fmt.Sprint("x", i)
		if result := failNext(m, id); result.Jobs[0].Status.Ended() {
			t.Fatalf("no other machine tries job %s", id)
		}
		result := failOn(m, id+".0", "a2", 2, farm.FailureDeterministic)
		if result.Jobs[0].Status != farm.JobFailed || len(result.Agents) > 0 {
			t.Fatalf("the job is %s, and told is of %+v", result.Jobs[0].Status, result.Agents)
		}
		for _, agent := range []string{"a1", "a2"} {
			if health := healthOf(t, m, agent); health.ForGood > 0 {
				t.Errorf("%d jobs are laid to %s", health.ForGood, agent)
			}
		}
		failAll(t, m, fmt.Sprint("between", i), farm.SetAsideAfter-1)
	}
}

func TestAJobFailsAtOnceWhereNoOtherMachineMayTellMore(t *testing.T) {
	for name, c := range map[string]struct {
		level   int
		prepare func(m *rig)
	}{
		"as every release knows the rule": {command.ClusterLevel, func(*rig) {}},
		"a farm of one machine":           {command.NewestLevel, func(m *rig) { m.must(command.RemoveAgent{ID: "a2"}) }},
		"one went well":                   {command.NewestLevel, func(m *rig) { submit(m, "good", 2); finishOn(m, "good.0", "a1", 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			m := doubtRig(t, c.level)
			c.prepare(m)
			failAll(t, m, "x", 1)
		})
	}
	t.Run("one try is allowed", func(t *testing.T) {
		m := doubtRig(t, command.NewestLevel)
		job, task := jobOf("once", 1)
		job.MaxAttempts = 1
		m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
		if got := failOn(m, "once.0", "a1", 1, farm.FailureDeterministic).Jobs[0]; got.Status != farm.JobFailed {
			t.Errorf("the job is %s", got.Status)
		}
	})
	t.Run("the same machine again", func(t *testing.T) { // no other was there within five minutes
		m := doubtRig(t, command.NewestLevel)
		failNext(m, "x")
		if got := failOn(m, "x.0", "a1", 2, farm.FailureDeterministic).Jobs[0]; got.Status != farm.JobFailed {
			t.Errorf("the job is %s", got.Status)
		}
		if health := healthOf(t, m, "a1"); health.ForGood != farm.SetAsideAfter {
			t.Errorf("%d jobs are laid to it", health.ForGood)
		}
	})
}
