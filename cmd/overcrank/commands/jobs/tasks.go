package jobs

import (
	"context"
	"fmt"
	"strconv"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

type tasksCommand struct {
	jobRef
	remote.Flags
}

// Run lists the tasks of a job.
func (j tasksCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := j.Client()
	if err != nil {
		return err
	}
	id, err := j.id(ctx, c)
	if err != nil {
		return err
	}
	tasks, err := c.Tasks(ctx, id)
	return j.Print(out, tasks, err, func() error {
		t := terminal.NewTable("TASK", "KIND", "STATE", "FRAMES", "DONE", "ATTEMPT", "MACHINE", "REMARK")
		for _, task := range tasks.Items {
			frames, machine, done, remark := "", "", "", terminal.FirstLine(task.Error)
			if task.Frames != nil {
				frames = fmt.Sprintf("%d-%d", task.Frames.Start, task.Frames.End)
			}
			if task.Agent != nil {
				machine = task.Agent.Name
			}
			if task.Running != nil {
				done, remark = terminal.Percent(task.Running.Progress), task.Running.Phase
			}
			t.Row(task.ID, string(task.Kind), wording.Task(task.Status, task.Failures), frames, done, strconv.Itoa(task.Attempt), machine, remark)
		}
		return out.Table(t)
	})
}

type attemptsCommand struct {
	jobRef
	remote.Flags
}

// Run lists who tried the tasks of a job.
func (j attemptsCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := j.Client()
	if err != nil {
		return err
	}
	id, err := j.id(ctx, c)
	if err != nil {
		return err
	}
	attempts, err := c.Attempts(ctx, id)
	return j.Print(out, attempts, err, func() error {
		job, err := c.Job(ctx, id)
		if err != nil {
			return err
		}
		latest := map[string]int{}
		for _, a := range attempts.Items {
			latest[a.Task] = max(latest[a.Task], a.Attempt)
		}
		t := terminal.NewTable("TASK", "ATTEMPT", "MACHINE", "BEGAN", "ENDED", "OUTCOME", "WHY")
		for _, a := range attempts.Items {
			outcome := outcomeOf(a.Outcome, a.Class, job.Status == farm.JobFailed && a.Attempt == latest[a.Task])
			t.Row(a.Task, strconv.Itoa(a.Attempt), a.Agent.Name, terminal.LocalTime(a.LeasedAt), terminal.LocalTime(a.EndedAt), outcome, terminal.FirstLine(a.Message))
		}
		return out.List(t, "Nobody has tried it yet.")
	})
}

// outcomeOf says how an attempt ended and what followed. The last of a task whose job has failed is retried by nobody.
func outcomeOf(outcome farm.Outcome, class farm.FailureClass, last bool) string {
	said := wording.Attempt(outcome)
	switch follows := class.Consequence(); {
	case follows.Words == "":
		return said
	case last && !follows.FailsJob:
		return said + ": not retried, the job has failed"
	default:
		return said + ": " + follows.Words
	}
}
