package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"overcrank/cmd/overcrank/client"
)

type jobsCommand struct {
	List   jobsList   `cmd:"" default:"withargs" help:"List jobs, newest first."`
	Show   jobsShow   `cmd:"" help:"Show one job."`
	Cancel jobsCancel `cmd:"" help:"Cancel jobs."`
}

type jobsList struct {
	serverFlags
	States []string `help:"Only jobs in these states (queued, pending, render:dorender, finished, error, manually_cancelled)."`
	Tags   []string `help:"Only jobs with any of these tags."`
	Limit  int      `help:"At most so many." default:"20"`
	JSON   bool     `help:"Print what the API answers." name:"json"`
}

func (l jobsList) Run(ctx context.Context, out *output) error {
	c, err := l.client()
	if err != nil {
		return err
	}
	q := url.Values{"sort": {"newest_first"}, "limit": {strconv.Itoa(l.Limit)}}
	if len(l.States) > 0 {
		q.Set("states", strings.Join(l.States, ","))
	}
	if len(l.Tags) > 0 {
		q.Set("tags", strings.Join(l.Tags, ","))
	}
	raw, err := c.Jobs(ctx, q)
	if err != nil {
		return err
	}
	if l.JSON {
		return printJSON(out, raw)
	}
	var jobs []client.Job
	if err := json.Unmarshal(raw, &jobs); err != nil {
		return fmt.Errorf("the farm's answer is no list of jobs: %w", err)
	}
	if len(jobs) == 0 {
		fmt.Fprintln(out.errors, "No jobs. Submit one with: overcrank submit job.json --wait")
		return nil
	}
	tw := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "JOB\tSTATE\tDONE\tSUBMITTED\tREMARK")
	for _, j := range jobs {
		fmt.Fprintf(tw, "%s\t%s\t%3.0f %%\t%s\t%s\n", j.ID, stateWord(j.Status), j.Progress, localTime(j.Stats.CreatedAt), remark(j))
	}
	return tw.Flush()
}

// remark is the one thing about a job that a line of a table has room for.
func remark(j client.Job) string {
	if j.Stats.Error != nil {
		return firstLine(*j.Stats.Error)
	}
	if j.Stats.RenderDuration != nil && j.Status == "finished" {
		return "took " + (time.Duration(*j.Stats.RenderDuration * float64(time.Second))).Round(100*time.Millisecond).String()
	}
	return ""
}

type jobsShow struct {
	serverFlags
	ID   string `arg:"" help:"Job to show."`
	JSON bool   `help:"Print what the API answers." name:"json"`
}

func (s jobsShow) Run(ctx context.Context, out *output) error {
	c, err := s.client()
	if err != nil {
		return err
	}
	raw, err := c.JobJSON(ctx, s.ID)
	if err != nil {
		return err
	}
	if s.JSON {
		return printJSON(out, raw)
	}
	var j client.Job
	if err := json.Unmarshal(raw, &j); err != nil {
		return fmt.Errorf("the farm's answer is no job: %w", err)
	}
	tw := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(tw, "job\t%s\nstate\t%s\ndone\t%.0f %%\nsubmitted\t%s\n", j.ID, stateWord(j.Status), j.Progress, localTime(j.Stats.CreatedAt))
	if j.Stats.Error != nil {
		fmt.Fprintf(tw, "error\t%s\n", *j.Stats.Error)
	}
	if len(j.MissingFonts) > 0 {
		fmt.Fprintf(tw, "missing fonts\t%s\n", strings.Join(j.MissingFonts, ", "))
	}
	if !j.Ended() && j.Progress == 0 {
		if why, err := c.Why(ctx, j.ID); err == nil && why != "" {
			fmt.Fprintf(tw, "waits\t%s\n", why)
		}
	}
	fmt.Fprintf(tw, "result\t%s\n", j.OutputURL)
	return tw.Flush()
}

type jobsCancel struct {
	serverFlags
	IDs   []string `arg:"" name:"job" help:"Jobs to cancel."`
	Force bool     `help:"Stop them also when they render."`
	JSON  bool     `help:"Print the cancelled jobs as JSON." name:"json"`
}

func (x jobsCancel) Run(ctx context.Context, out *output) error {
	c, err := x.client()
	if err != nil {
		return err
	}
	jobs, err := c.Cancel(ctx, x.IDs, x.Force)
	if err != nil {
		return err
	}
	if x.JSON {
		return json.NewEncoder(out).Encode(jobs)
	}
	for _, j := range jobs {
		fmt.Fprintf(out, "%s cancelled\n", j.ID)
	}
	return nil
}

// stateWord is a job's state as people say it.
func stateWord(status string) string {
	switch status {
	case "queued":
		return "waiting"
	case "pending":
		return "waiting for its parts"
	case "render:dorender":
		return "rendering"
	case "error":
		return "failed"
	case "manually_cancelled":
		return "cancelled"
	}
	return status
}

// localTime shows a time of the API on this machine's clock.
func localTime(iso string) string {
	t, err := time.Parse(time.RFC3339, iso)
	if err != nil {
		return iso
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func printJSON(w io.Writer, raw json.RawMessage) error {
	if _, err := w.Write(append(raw, '\n')); err != nil {
		return err
	}
	return nil
}
