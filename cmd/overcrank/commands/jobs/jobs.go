// Package jobs has the commands about one job or several: jobs, submit, join and logs.
package jobs

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/commands/templates"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/interval"
)

// Commands are those below overcrank jobs.
type Commands struct {
	List     listCommand     `cmd:"" default:"withargs" help:"List jobs, newest first."`
	Show     showCommand     `cmd:"" help:"Show one job."`
	Submit   Submit          `cmd:"" help:"Submit a job: the same as overcrank submit."`
	Logs     Logs            `cmd:"" help:"Print the log of a job: the same as overcrank logs."`
	Wait     waitCommand     `cmd:"" help:"Wait until jobs have ended."`
	Download downloadCommand `cmd:"" help:"Download the results of jobs."`
	Why      whyCommand      `cmd:"" help:"Show what a job waits for, and for how long."`
	Tasks    tasksCommand    `cmd:"" help:"List the tasks of a job."`
	Attempts attemptsCommand `cmd:"" help:"List the attempts at the tasks of a job, and their outcomes."`
	Set      setCommand      `cmd:"" help:"Change the priority, level, earliest start, name or tags of a job."`
	Samples  samplesCommand  `cmd:"" help:"List the sample frames of a job, and download them."`
	Approve  approveCommand  `cmd:"" help:"Approve jobs by their sample frames: the rest is rendered."`
	Reject   rejectCommand   `cmd:"" help:"Reject a job by its sample frames: it ends."`
	Release  releaseCommand  `cmd:"" help:"Release jobs that were submitted with --hold."`
	Cancel   cancelCommand   `cmd:"" help:"Cancel jobs."`
}

type listCommand struct {
	remote.Flags
	States        []string `help:"Only jobs in these states (queued, pending, render:dorender, finished, error, manually_cancelled)." complete:"state"`
	ExcludeStates []string `help:"No jobs in these states." complete:"state"`
	Tags          []string `help:"Only jobs with any of these tags."`
	From          string   `help:"Only jobs submitted since then: a day, a time, or how long ago, such as 2026-11-21 or 3h."`
	To            string   `help:"Only jobs submitted until then; written as for --from."`
	Sort          string   `help:"newest_first, oldest_first, priority or random." enum:"newest_first,oldest_first,priority,random" default:"newest_first"`
	Limit         int      `help:"Maximum number of jobs; more than 1000 are fetched page by page." default:"20"`
	All           bool     `help:"List all of them."`
	Offset        int      `help:"Skip this many jobs at the beginning."`
	Minimal       bool     `help:"With --json: without numbers and assets, which is faster."`
	Watch         bool     `help:"Show the list again every two seconds."`
}

func (listCommand) Help() string {
	return `Examples:

    overcrank jobs                                   # the newest 20
    overcrank jobs --states error --from 24h         # what failed since yesterday
    overcrank jobs --tags spring --all --json | jq -r '.[].outputUrl'`
}

// query is what the flags ask of GET /jobs.
func (l listCommand) query(now time.Time) (url.Values, error) {
	q := url.Values{"sort": {l.Sort}}
	for key, list := range map[string][]string{"states": l.States, "exclude_states": l.ExcludeStates, "tags": l.Tags} {
		if len(list) > 0 {
			q.Set(key, strings.Join(list, ","))
		}
	}
	for key, when := range map[string]string{"from_date": l.From, "to_date": l.To} {
		if when == "" {
			continue
		}
		t, err := remote.Moment(when, now)
		if err != nil {
			return nil, exit.Usagef("--%s: %w", strings.TrimSuffix(key, "_date"), err)
		}
		q.Set(key, t.UTC().Format(time.RFC3339))
	}
	if l.Offset > 0 {
		q.Set("from", strconv.Itoa(l.Offset))
	}
	if l.Minimal {
		q.Set("minimal", "true")
	}
	return q, nil
}

// watchListEvery is how often a list that is watched is shown anew.
const watchListEvery = 2 * time.Second

// clearScreen takes a terminal's cursor to the top and everything below away.
const clearScreen = "\x1b[H\x1b[J"

func (l listCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	if l.Watch && (l.JSON || !terminal.Is(out.Writer)) {
		return exit.Usagef("--watch is for a terminal, and not together with --json")
	}
	if l.Limit < 1 {
		return exit.Usagef("--limit is %d: it has to be 1 at least; for all there are, give --all", l.Limit)
	}
	if l.All {
		l.Limit = 0
	}
	for {
		q, err := l.query(time.Now())
		if err != nil {
			return err
		}
		jobs, err := c.Jobs(ctx, q, l.Limit)
		if err != nil {
			return err
		}
		if l.Watch {
			fmt.Fprint(out, clearScreen)
		}
		var named templates.Names
		if !l.JSON {
			named = templates.ReadNames(ctx, c)
		}
		if err := l.print(jobs, named, out); err != nil || !l.Watch {
			return err
		}
		if err := interval.Wait(ctx, watchListEvery); err != nil {
			return err
		}
	}
}

func (l listCommand) print(jobs client.List[client.Job], named templates.Names, out *terminal.Output) error {
	if l.JSON {
		return out.Answer(jobs.JSON())
	}
	if len(jobs.Items) == 0 {
		out.Remark("No jobs. Submit one with: overcrank submit job.json --wait")
		return nil
	}
	t := terminal.NewTable("JOB", "STATE", "DONE", "SUBMITTED", "NAME", "TEMPLATE", "COMPOSITION", "REMARK")
	for _, j := range jobs.Items {
		t.Row(j.ID, wording.Job(farm.JobStatus(j.Status)), terminal.Percent(j.Progress), terminal.LocalTime(j.Stats.CreatedAt), j.Name, named.Of(j.TemplateID), j.Composition, Remark(j))
	}
	if err := out.Table(t); err != nil {
		return err
	}
	if jobs.Next != "" {
		out.Remark("There are more: --all shows them, --limit and --offset a part.")
	}
	return nil
}

// Remark is the one thing about a job that a line of a table has room for.
func Remark(j client.Job) string {
	if why := j.Stats.Why(); why != "" {
		return terminal.FirstLine(why)
	}
	if j.Stats.RenderDuration != nil && j.Status == "finished" {
		return "took " + wording.Seconds(*j.Stats.RenderDuration)
	}
	return ""
}

// addPlace tells where a job stands in line; a farm that cannot tell is passed over.
func (s showCommand) addPlace(ctx context.Context, c *client.Client, t *terminal.Table) {
	j, err := c.FarmJob(ctx, s.ID)
	if err != nil {
		return
	}
	t.Row("level", fmt.Sprintf("%s, priority %d", j.Level, j.Priority))
	if j.NotBefore != nil {
		t.Row("not before", terminal.LocalTime(*j.NotBefore))
	}
	if j.Approval != nil && j.Approval.ApprovedAt != nil {
		t.Row("approved", terminal.LocalTime(*j.Approval.ApprovedAt)+" by "+client.Text(j.Approval.ApprovedBy))
	}
	if words := inSpan(j.Finish); words != "" {
		t.Row("done", words)
	}
	if j.Tasks.Total > 1 {
		t.Row("tasks", fmt.Sprintf("%d of %d done", j.Tasks.Done, j.Tasks.Total))
	}
}

// jobRef is a job on the command line.
type jobRef struct {
	ID string `arg:"" name:"job" help:"Id of the job, or its name." complete:"job"`
}

// namedJobs is how many of the newest jobs are looked through for a name.
const namedJobs = 1000

// find has the reference name its job by id.
func (j *jobRef) find(ctx context.Context, c *client.Client) error {
	if remote.IDForm.MatchString(j.ID) {
		return nil
	}
	list, err := c.Jobs(ctx, url.Values{"sort": {"newest_first"}, "minimal": {"true"}}, namedJobs)
	if err != nil {
		return err
	}
	job, err := remote.Pick(list.Items, "job", j.ID, func(job client.Job) (string, string) { return job.ID, job.Name })
	j.ID = job.ID
	return err
}

type showCommand struct {
	jobRef
	remote.Flags
}

func (s showCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	if err := s.find(ctx, c); err != nil {
		return err
	}
	j, err := c.Job(ctx, s.ID)
	if err != nil {
		return err
	}
	if s.JSON {
		return out.Answer(j.JSON())
	}
	t := terminal.NewTable()
	t.Row("job", j.ID)
	if j.Name != "" {
		t.Row("name", j.Name)
	}
	if len(j.Tags) > 0 {
		t.Row("tags", strings.Join(j.Tags, ", "))
	}
	if j.TemplateID != nil {
		t.Row("template", *j.TemplateID)
	}
	if j.Composition != "" {
		t.Row("composition", j.Composition)
	}
	for _, related := range []struct{ name, ids string }{
		{"batch", j.BatchID}, {"part of", j.ParentID}, {"parts", strings.Join(j.ChildIDs, ", ")},
	} {
		if related.ids != "" {
			t.Row(related.name, related.ids)
		}
	}
	state := wording.Job(farm.JobStatus(j.Status))
	if j.Hold {
		state += ", held: overcrank jobs release " + j.ID
	}
	t.Row("state", state)
	t.Row("done", strings.TrimSpace(terminal.Percent(j.Progress)))
	s.addPlace(ctx, c, t)
	t.Row("submitted", terminal.LocalTime(j.Stats.CreatedAt))
	for _, moment := range []struct {
		name string
		at   *string
	}{{"started", j.Stats.StartedAt}, {"finished", j.Stats.FinishedAt}} {
		if moment.at != nil {
			t.Row(moment.name, terminal.LocalTime(*moment.at))
		}
	}
	if why := j.Stats.Why(); why != "" {
		t.Row("error", why)
	}
	for _, w := range j.Warnings {
		t.Row("warning", w)
	}
	if len(j.MissingFonts) > 0 {
		t.Row("missing fonts", strings.Join(j.MissingFonts, ", "))
	}
	if !j.Ended() {
		if placement, err := c.Placement(ctx, j.ID); err == nil {
			if placement.Why != "" && j.Progress == 0 {
				t.Row("waits", placement.Why)
			}
			if placement.Split != nil {
				t.Row("split", *placement.Split)
			}
		}
	}
	t.Row("result", j.OutputURL)
	return out.Table(t)
}

type releaseCommand struct {
	IDs []string `arg:"" name:"job" help:"Jobs that were submitted with hold." complete:"job"`
	remote.Flags
}

func (r releaseCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	jobs, err := c.Release(ctx, r.IDs)
	if err != nil {
		return err
	}
	if r.JSON {
		return out.Answer(jobs.JSON())
	}
	for _, j := range jobs.Items {
		fmt.Fprintf(out, "%s released\n", j.ID)
	}
	return nil
}

type cancelCommand struct {
	IDs []string `arg:"" name:"job" help:"Jobs to cancel." complete:"job"`
	remote.Flags
	Force bool `help:"Stop them also when they render."`
}

func (cancelCommand) Help() string {
	return `Related jobs go with them: the parts of a job, and the job that a part belongs to. All that were cancelled are printed.`
}

func (x cancelCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := x.Client()
	if err != nil {
		return err
	}
	jobs, err := c.Cancel(ctx, x.IDs, x.Force)
	if err != nil {
		return err
	}
	if x.JSON {
		return out.Answer(jobs.JSON())
	}
	for _, j := range jobs.Items {
		fmt.Fprintf(out, "%s cancelled\n", j.ID)
	}
	return nil
}
