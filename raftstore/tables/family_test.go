package tables

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
)

// drawFamily makes a random tree of jobs of up to four generations, with one task each.
func drawFamily(t *rapid.T, name string) command.SubmitJobs {
	var cmd command.SubmitJobs
	var add func(id, parent string, depth int)
	add = func(id, parent string, depth int) {
		job, task := jobOf(id, 0)
		job.Parent = parent
		job.Hold = rapid.IntRange(0, 4).Draw(t, "hold") == 0
		place := len(cmd.Jobs)
		cmd.Jobs, cmd.Tasks = append(cmd.Jobs, job), append(cmd.Tasks, task)
		children := 0
		if depth < 3 {
			children = rapid.IntRange(0, 3).Draw(t, "children of "+id)
		}
		for k := range children {
			child := fmt.Sprintf("%s-%d", id, k)
			cmd.Jobs[place].Children = append(cmd.Jobs[place].Children, child)
			add(child, id, depth+1)
		}
	}
	add(name, "", 0)
	return cmd
}

// checkFamily holds a family against the rules: who waits for whom, and what an end brings with it.
func checkFamily(t *rapid.T, jobs map[string]farm.Job) {
	for _, job := range jobs {
		finished, lost := 0, ""
		for _, id := range job.Children {
			child := jobs[id]
			switch child.Status {
			case farm.JobFinished:
				finished++
			case farm.JobFailed, farm.JobCancelled:
				lost = id
			}
			if child.Status.Waiting() && job.Status.Ended() {
				t.Fatalf("job %s is %s, and %s nested in it still waits", job.ID, job.Status, id)
			}
		}
		whole := finished == len(job.Children)
		switch {
		case job.Status == farm.JobPending && whole:
			t.Fatalf("job %s is pending, and all %d nested in it have finished", job.ID, finished)
		case (job.Status == farm.JobQueued || job.Status == farm.JobRendering || job.Status == farm.JobFinished) && !whole:
			t.Fatalf("job %s is %s, and %d of %d nested in it have finished", job.ID, job.Status, finished, len(job.Children))
		case lost != "" && !job.Status.Ended():
			t.Fatalf("job %s is %s, and %s nested in it is %s", job.ID, job.Status, lost, jobs[lost].Status)
		}
		if job.Status == farm.JobFailed && whole == false && !namesAFailedChild(job, jobs) {
			t.Fatalf("job %s failed with %q, which names none nested in it that failed", job.ID, job.Error)
		}
	}
}

func namesAFailedChild(job farm.Job, jobs map[string]farm.Job) bool {
	return slices.ContainsFunc(job.Children, func(id string) bool {
		return jobs[id].Status == farm.JobFailed && strings.Contains(job.Error, id) && strings.HasSuffix(job.Error, jobs[id].Error)
	})
}

// checkCancelled holds what a cancellation came to against the family before and after it.
func checkCancelled(t *rapid.T, cmd command.CancelJobs, before, after map[string]farm.Job) {
	if before[cmd.IDs[0]].Status == after[cmd.IDs[0]].Status {
		t.Fatalf("%s was to be cancelled and is %s", cmd.IDs[0], after[cmd.IDs[0]].Status)
	}
	for id, job := range after {
		was := before[id].Status
		if was == farm.JobRendering && !cmd.Force && job.Status != was {
			t.Fatalf("%s rendered, and was cancelled without force", id)
		}
	}
	for parent := before[cmd.IDs[0]].Parent; parent != "" && !before[parent].Status.Ended(); parent = before[parent].Parent {
		if after[parent].Status != farm.JobCancelled {
			t.Fatalf("%s was cancelled, and %s in which it is nested is %s", cmd.IDs[0], parent, after[parent].Status)
		}
	}
}

// TestRandomFamilies drives random families with random moves, and checks after each what must hold between parents and
// those nested in them.
func TestRandomFamilies(t *testing.T) {
	reached := map[farm.JobStatus]int{}
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp("", "raftstore-family-*")
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer os.RemoveAll(folder)
		m := newRig(t, folder, "single")
		defer m.end()
		furnish(m)
		m.must(drawFamily(t, "job"))
		now := look(t, m, commandtest.Seen{}, nil)
		checkFamily(t, now.Jobs)
		for step := range rapid.IntRange(5, 120).Draw(t, "steps") {
			cmd := drawFamilyMove(t, step+1, now)
			if cmd == nil {
				break
			}
			before := now
			m.must(cmd)
			now = look(t, m, before, cmd)
			checkFamily(t, now.Jobs)
			for _, job := range now.Jobs {
				if len(job.Children) > 0 {
					reached[job.Status]++
				}
			}
			if cancel, ok := cmd.(command.CancelJobs); ok {
				checkCancelled(t, cancel, before.Jobs, now.Jobs)
			}
		}
	})
	t.Logf("states in which parents were met: %v", reached)
	for _, status := range farm.JobStatuses() {
		if reached[status] == 0 && commandtest.AllCases() {
			t.Errorf("no parent was met in %q: the test no longer covers it", status)
		}
	}
}

// drawFamilyMove makes a command that fits the state; nil when everything has ended.
func drawFamilyMove(t *rapid.T, step int, now commandtest.Seen) command.Command {
	at := after(step)
	var moves []command.Command
	for _, id := range slices.Sorted(maps.Keys(now.Tasks)) {
		task := now.Tasks[id]
		switch task.Status {
		case farm.TaskReady:
			moves = append(moves, command.LeaseTasks{Grants: []command.Grant{{Task: id, Attempt: task.Attempt + 1, Agent: "a1"}}, At: at})
		case farm.TaskLeased:
			finish := command.FinishTask{Task: id, Attempt: task.Attempt, Output: farm.OutputRef{Key: "k"}, At: at}
			moves = append(moves, finish, finish, finish, finish)
			if rapid.IntRange(0, 2).Draw(t, "trouble") == 0 {
				moves = append(moves, command.FailTask{Task: id, Attempt: task.Attempt, Message: "broke", Retry: rapid.Bool().Draw(t, "retry"), At: at},
					command.ExpireLeases{Leases: []command.Grant{{Task: id, Attempt: task.Attempt, Agent: task.Agent}}, At: at})
			}
		}
	}
	if rapid.IntRange(0, 39).Draw(t, "cancel") == 0 {
		force := rapid.Bool().Draw(t, "force")
		for _, id := range slices.Sorted(maps.Keys(now.Jobs)) {
			if status := now.Jobs[id].Status; status.Waiting() || force && status == farm.JobRendering {
				moves = append(moves, command.CancelJobs{Team: "team", IDs: []string{id}, Force: force, At: at})
			}
		}
	}
	if len(moves) == 0 {
		return nil
	}
	return rapid.SampledFrom(moves).Draw(t, "move")
}
