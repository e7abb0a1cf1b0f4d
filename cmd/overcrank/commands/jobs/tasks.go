package jobs

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

type whyCommand struct {
	jobRef
	remote.Flags
}

// Run says what a job waits for.
func (w whyCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := w.Client()
	if err != nil {
		return err
	}
	if err := w.find(ctx, c); err != nil {
		return err
	}
	placement, err := c.Placement(ctx, w.ID)
	if err != nil {
		return err
	}
	if w.JSON {
		return out.Answer(placement.JSON())
	}
	if placement.Why == "" {
		job, err := c.Job(ctx, w.ID)
		if err != nil {
			return err
		}
		placement.Why = "It does not wait: it is " + wording.Job(farm.JobStatus(job.Status)) + "."
		if job.Stats.Error != nil {
			placement.Why += " " + *job.Stats.Error
		}
	}
	fmt.Fprintln(out, placement.Why)
	if placement.Split != nil {
		fmt.Fprintln(out, *placement.Split)
	}
	return printPlacement(placement, out)
}

// printPlacement prints what is asked of machines, where the job stands, and when it is likely to begin.
func printPlacement(p client.Placement, out *terminal.Output) error {
	t := terminal.NewTable()
	if p.Task != nil {
		t.Row("machines", fmt.Sprintf("%d connected, %d fit, %d of these are free", p.Agents, p.Fitting, p.Free))
	}
	for _, r := range p.Requirements {
		rules := "rules out none"
		if r.RulesOut > 0 {
			rules = "rules out " + terminal.Plural(r.RulesOut, "machine")
		}
		t.Row("needs", r.Wants+": "+rules)
	}
	if p.Nearest != nil {
		t.Row("nearest", p.Nearest.Name+" lacks "+strings.Join(p.Nearest.Lacks, ", "))
	}
	if p.Place != nil {
		place := strconv.Itoa(*p.Place)
		if p.PlaceAtLeast {
			place += " at least"
		}
		t.Row("place in line", place)
	}
	if words := inSpan(p.Start); words != "" {
		t.Row("begins", words)
	}
	if words := inSpan(p.Finish); words != "" {
		t.Row("done", words)
	}
	return out.Table(t)
}

// spanWords is a time to come as the dashboard says it, "" when nobody can tell.
func spanWords(s *client.Span) string {
	if s == nil {
		return ""
	}
	return farm.Span{Low: s.Low, High: s.High, Learning: s.Learning}.Words()
}

// inSpan is spanWords with "in" before a length of time.
func inSpan(s *client.Span) string {
	if s == nil || s.High <= 0 {
		return spanWords(s)
	}
	return "in " + spanWords(s)
}

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
	if err := j.find(ctx, c); err != nil {
		return err
	}
	tasks, err := c.Tasks(ctx, j.ID)
	if err != nil {
		return err
	}
	if j.JSON {
		return out.Answer(tasks.JSON())
	}
	t := terminal.NewTable("TASK", "KIND", "STATE", "FRAMES", "DONE", "ATTEMPT", "MACHINE", "REMARK")
	for _, task := range tasks.Items {
		frames, machine, done, remark := "", "", "", terminal.FirstLine(client.Text(task.Error))
		if task.Frames != nil {
			frames = fmt.Sprintf("%d-%d", task.Frames.Start, task.Frames.End)
		}
		if task.Agent != nil {
			machine = task.Agent.Name
		}
		if task.Running != nil {
			done, remark = terminal.Percent(task.Running.Progress), task.Running.Phase
		}
		t.Row(task.ID, task.Kind, task.Status, frames, done, strconv.Itoa(task.Attempt), machine, remark)
	}
	return out.Table(t)
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
	if err := j.find(ctx, c); err != nil {
		return err
	}
	attempts, err := c.Attempts(ctx, j.ID)
	if err != nil {
		return err
	}
	if j.JSON {
		return out.Answer(attempts.JSON())
	}
	if len(attempts.Items) == 0 {
		out.Remark("Nobody has tried it yet.")
		return nil
	}
	t := terminal.NewTable("TASK", "ATTEMPT", "MACHINE", "BEGAN", "ENDED", "OUTCOME", "WHY")
	for _, a := range attempts.Items {
		outcome := "under way"
		if a.Outcome != nil {
			outcome = *a.Outcome
		}
		if a.Class != nil {
			outcome += ", " + *a.Class
		}
		t.Row(a.Task, strconv.Itoa(a.Attempt), a.Agent.Name, terminal.LocalTime(a.LeasedAt), terminal.LocalTime(client.Text(a.EndedAt)), outcome, terminal.FirstLine(client.Text(a.Message)))
	}
	return out.Table(t)
}

type setCommand struct {
	jobRef
	Priority  *int     `help:"Larger goes first within a level: -1000 to 1000." placeholder:"N"`
	Level     string   `help:"rush, normal or overnight." placeholder:"LEVEL" complete:"level"`
	NotBefore string   `help:"Earliest start: a day, a time, or in how long, such as 2027-01-31 or 2h; \"now\" removes it." placeholder:"WHEN"`
	Name      *string  `help:"A name for people." placeholder:"NAME"`
	Tag       []string `help:"Tags that replace those it has." placeholder:"TAG"`
	remote.Flags
}

// Help is for the parser of the command line.
func (setCommand) Help() string {
	return `While a job has not ended. What renders goes on; those nested in the job follow it.

    overcrank jobs set JOB --level rush --priority 100`
}

// change is what the flags ask for.
func (j setCommand) change(now time.Time) (client.JobChange, error) {
	change := client.JobChange{}
	if j.Priority != nil {
		change["priority"] = *j.Priority
	}
	if j.Level != "" {
		change["level"] = j.Level
	}
	if j.Name != nil {
		change["name"] = *j.Name
	}
	if len(j.Tag) > 0 {
		change["tags"] = j.Tag
	}
	switch j.NotBefore {
	case "":
	case "now":
		change["notBefore"] = nil
	default:
		at, err := remote.TimeToCome("not-before", j.NotBefore, now)
		if err != nil {
			return nil, err
		}
		change["notBefore"] = at.UTC().Format(time.RFC3339)
	}
	if len(change) == 0 {
		return nil, exit.Usagef("nothing is to be changed: give --priority, --level, --not-before, --name or --tag")
	}
	return change, nil
}

// Run changes a job.
func (j setCommand) Run(ctx context.Context, out *terminal.Output) error {
	change, err := j.change(time.Now())
	if err != nil {
		return err
	}
	c, err := j.Client()
	if err != nil {
		return err
	}
	job, err := c.ChangeJob(ctx, j.ID, change)
	if err != nil {
		return err
	}
	if j.JSON {
		return out.Answer(job.JSON())
	}
	words := fmt.Sprintf("%s %s, priority %d", job.ID, job.Level, job.Priority)
	if job.NotBefore != nil {
		words += ", not before " + terminal.LocalTime(*job.NotBefore)
	}
	_, err = fmt.Fprintln(out, words)
	return err
}
