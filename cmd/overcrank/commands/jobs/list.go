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
	"overcrank/farm/wording"
	"overcrank/interval"
)

type listCommand struct {
	remote.Flags
	States        []string `help:"Only jobs in these states (queued, pending, render:dorender, finished, error, manually_cancelled)." complete:"state"`
	ExcludeStates []string `help:"No jobs in these states." complete:"state"`
	Tags          []string `help:"Only jobs with any of these tags."`
	From          string   `help:"Only jobs submitted since then: a day, a time, or how long ago, such as 2026-11-21 or 3h."`
	To            string   `help:"Only jobs submitted until then; written as for --from."`
	Sort          string   `help:"newest_first, oldest_first, priority or random." enum:"newest_first,oldest_first,priority,random" default:"newest_first"`
	remote.Paging
	Offset  int  `help:"Skip this many jobs at the beginning."`
	Minimal bool `help:"With --json: without numbers and assets, which is faster."`
	Watch   bool `help:"Show the list again every two seconds."`
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
	most, err := l.Most()
	if err != nil {
		return err
	}
	for {
		q, err := l.query(time.Now())
		if err != nil {
			return err
		}
		jobs, err := c.Jobs(ctx, q, most)
		err = l.Print(out, jobs, err, func() error {
			named := templates.ReadNames(ctx, c)
			if l.Watch {
				fmt.Fprint(out, clearScreen)
			}
			return printJobs(jobs, named, out)
		})
		if err != nil || !l.Watch {
			return err
		}
		if err := interval.Wait(ctx, watchListEvery); err != nil {
			return err
		}
	}
}

func printJobs(jobs client.List[client.Job], named templates.Names, out *terminal.Output) error {
	t := terminal.NewTable("JOB", "STATE", "DONE", "SUBMITTED", "NAME", "TEMPLATE", "COMPOSITION", "REMARK")
	for _, j := range jobs.Items {
		t.Row(j.ID, wording.Job(j.Status), terminal.Percent(j.Progress), terminal.LocalTime(j.Stats.CreatedAt), j.Name, named.Of(j.TemplateID), j.Composition, Remark(j))
	}
	if err := out.List(t, "No jobs. Submit one with: overcrank submit job.json --wait"); err != nil {
		return err
	}
	if jobs.Next != "" {
		out.Remark("There are more: --all shows them, --limit and --offset a part.")
	}
	return nil
}
