package jobs

import (
	"context"
	"fmt"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

type showCommand struct {
	jobRef
	remote.Flags
}

// Run shows a job.
func (s showCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	id, err := s.id(ctx, c)
	if err != nil {
		return err
	}
	job, err := c.Job(ctx, id)
	return s.Print(out, job, err, func() error { return out.Table(jobTable(ctx, c, job)) })
}

// jobTable is all that is known of a job, a fact a row.
func jobTable(ctx context.Context, c *client.Client, j client.Job) *terminal.Table {
	t := terminal.NewTable()
	row := func(name, value string) {
		if value != "" {
			t.Row(name, value)
		}
	}
	row("job", j.ID)
	row("name", j.Name)
	row("tags", strings.Join(j.Tags, ", "))
	row("template", templateOf(ctx, c, j))
	row("composition", j.Composition)
	row("batch", j.BatchID)
	row("part of", j.ParentID)
	row("parts", strings.Join(j.ChildIDs, ", "))
	state := wording.Job(j.Status)
	if j.Hold && !j.Status.Ended() {
		state += ", held: overcrank jobs release " + j.ID
	}
	row("state", state)
	row("done", strings.TrimSpace(terminal.Percent(j.Progress)))
	if known, err := c.FarmJob(ctx, j.ID); err == nil { // a farm of another make cannot tell
		if was, now := known.TemplateVersion, known.TemplateVersionNow; was > 0 && was < now {
			row("version", fmt.Sprintf("%d of the template, which has version %d now", was, now))
		}
		addSchedule(known, row)
		row("submitted by", known.SubmittedBy)
	}
	row("submitted", terminal.LocalTime(j.Stats.CreatedAt))
	row("started", localTime(j.Stats.StartedAt))
	row("finished", localTime(j.Stats.FinishedAt))
	row("error", j.Stats.Error)
	for _, w := range j.Warnings {
		row("warning", w)
	}
	row("missing fonts", strings.Join(j.MissingFonts, ", "))
	if !j.Status.Ended() {
		if placement, err := c.Placement(ctx, j.ID); err == nil {
			if j.Progress == 0 {
				row("waits", placement.Why)
			}
			row("split", placement.Split)
		}
	}
	t.Row("result", j.OutputURL)
	return t
}

// templateOf is what a job's template is called, and its id; "" for a job that brought its project along.
func templateOf(ctx context.Context, c *client.Client, j client.Job) string {
	if j.TemplateID == "" {
		return ""
	}
	template, err := c.Template(ctx, j.TemplateID)
	if err != nil || template.DisplayName == "" { // it may have been deleted
		return j.TemplateID
	}
	return fmt.Sprintf("%s (%s)", template.DisplayName, j.TemplateID)
}

// addSchedule adds where a job stands in line, and when it is likely to be done.
func addSchedule(j client.FarmJob, row func(name, value string)) {
	row("level", fmt.Sprintf("%s, priority %d", j.Level, j.Priority))
	row("not before", localTime(j.NotBefore))
	if j.Approval != nil && j.Approval.ApprovedAt != "" {
		row("approved", terminal.LocalTime(j.Approval.ApprovedAt)+" by "+j.Approval.ApprovedBy)
	}
	row("done", when(j.Finish))
	if j.Tasks.Total > 1 {
		row("tasks", fmt.Sprintf("%d of %d done", j.Tasks.Done, j.Tasks.Total))
	}
}

// localTime is terminal.LocalTime, but "" for a time that is not set.
func localTime(iso string) string {
	if iso == "" {
		return ""
	}
	return terminal.LocalTime(iso)
}

// when is how long something will take yet, "" when nobody can tell.
func when(s *farm.Span) string {
	if s == nil {
		return ""
	}
	return wording.In(*s)
}
