// Package batches has the commands about jobs that are submitted together, from a table or a file.
package batches

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/jobs"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// Commands are those below overcrank batches.
type Commands struct {
	List     listCommand     `cmd:"" default:"withargs" help:"List batches, newest first."`
	Submit   submitCommand   `cmd:"" help:"Submit a job for each row of a table, or each job of a file."`
	Show     showCommand     `cmd:"" help:"Show a batch with its jobs."`
	Wait     waitCommand     `cmd:"" help:"Wait until batches have ended."`
	Download downloadCommand `cmd:"" help:"Download the results of a batch."`
	Resubmit resubmitCommand `cmd:"" help:"Submit rows of a batch again, in their places."`
	Set      setCommand      `cmd:"" help:"Name a batch, and say when it is due."`
	Cancel   cancelCommand   `cmd:"" help:"Cancel the jobs of batches that have not started."`
}

// batchRef is a batch on the command line.
type batchRef struct {
	ID string `arg:"" name:"batch" help:"Id of the batch." complete:"batch"`
}

type listCommand struct {
	remote.Flags
	By    string          `help:"Only batches that this person, or token, submitted." placeholder:"NAME"`
	State farm.BatchState `help:"Only batches that are open (some of their jobs have not ended), have failures, or are done." enum:",open,failures,done" default:"" placeholder:"open|failures|done"`
	remote.Paging
}

func (listCommand) Help() string {
	return `Examples:

    overcrank batches                              # the newest 20
    overcrank batches --by ada --state failures    # those of one person of which jobs failed
    overcrank batches --state open --all --json | jq -r '.[].batchId'`
}

func (l listCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	most, err := l.Most()
	if err != nil {
		return err
	}
	list, err := c.Batches(ctx, farm.BatchFilter{By: l.By, State: l.State}, most)
	return l.Print(out, list, err, func() error {
		t := terminal.NewTable("BATCH", "STATE", "JOBS", "DONE", "FAILED", "OPEN", "SUBMITTED", "BY", "DUE", "NAME")
		for _, b := range list.Items {
			t.Row(b.BatchID, wording.Batch(b.Status), strconv.Itoa(b.Stats.Total), strconv.Itoa(b.Stats.Finished), strconv.Itoa(b.Stats.Error),
				strconv.Itoa(b.Stats.Pending), terminal.LocalTime(b.CreatedAt), b.By, terminal.LocalTime(b.DueAt), b.Name)
		}
		if l.By != "" || l.State != "" {
			return out.List(t, "No such batches.")
		}
		return out.List(t, "No batches. Submit one with: overcrank batches submit variants.csv --template NAME")
	})
}

type showCommand struct {
	batchRef
	remote.Flags
}

func (s showCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	b, err := c.NamedBatch(ctx, s.ID)
	return s.Print(out, b, err, func() error {
		if b.Name != "" {
			fmt.Fprintf(out, "%s\n", b.Name)
		}
		if b.DueAt != "" {
			fmt.Fprintf(out, "due %s\n", terminal.LocalTime(b.DueAt))
		}
		fmt.Fprintf(out, "batch %s is %s: %d of %d done, %d failed, %d open\n\n", b.BatchID, wording.Batch(b.Status), b.Stats.Finished, b.Stats.Total,
			b.Stats.Error, b.Stats.Pending)
		t := terminal.NewTable("INDEX", "JOB", "STATE", "NAME", "REMARK")
		for _, j := range b.Jobs {
			t.Row(strconv.Itoa(j.Index), j.ID, wording.Job(j.Status), j.Name, jobs.Remark(client.Job{Status: j.Status, Stats: j.Stats}))
		}
		return out.Table(t)
	})
}

type waitCommand struct {
	IDs []string `arg:"" name:"batch" help:"Batches to wait for." complete:"batch"`
	remote.Flags
	Timeout time.Duration `help:"How long at most, such as 90s or 2h; the jobs go on." placeholder:"DURATION"`
}

func (w waitCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := w.Client()
	if err != nil {
		return err
	}
	limited, cancel := remote.Limited(ctx, w.Timeout)
	defer cancel()
	batches, err := watchBatches(limited, c, w.IDs, out)
	if err != nil {
		return err
	}
	if err := printBatches(batches, w.JSON, out); err != nil {
		return err
	}
	return tellBatchFailures(batches, out, func(_, index int) string { return "index " + strconv.Itoa(index) })
}

// printBatches prints how batches ended.
func printBatches(batches []client.Batch, asJSON bool, out *terminal.Output) error {
	if asJSON {
		return out.Answers(remote.Texts(batches))
	}
	for _, b := range batches {
		fmt.Fprintf(out, "%s %s: %d of %d done, %d failed\n", b.BatchID, wording.Batch(b.Status), b.Stats.Finished, b.Stats.Total, b.Stats.Error)
	}
	return nil
}

// The times between two looks at batches: soon at first, since small ones end soon.
const (
	firstBatchLook = 250 * time.Millisecond
	batchLook      = 2 * time.Second
)

// watchBatches shows one bar over all batches until their jobs have ended.
func watchBatches(ctx context.Context, c *client.Client, ids []string, out *terminal.Output) ([]client.Batch, error) {
	bar := out.Bar("rendering")
	defer bar.End()
	batches, began, before := make([]client.Batch, len(ids)), time.Now(), -1
	err := remote.Until(ctx, firstBatchLook, batchLook, "overcrank batches wait "+strings.Join(ids, " "), func() (done bool, err error) {
		var all client.BatchStats
		for i, id := range ids {
			if batches[i].Status != "finished" && batches[i].Status != "error" {
				if batches[i], err = c.Batch(ctx, id); err != nil {
					return false, err
				}
			}
			all.Total += batches[i].Stats.Total
			all.Finished += batches[i].Stats.Finished
			all.Error += batches[i].Stats.Error
			all.Pending += batches[i].Stats.Pending
		}
		if all.Pending == 0 {
			return true, nil
		}
		ended := all.Finished + all.Error
		if before < 0 {
			before = ended
		}
		bar.Set(100*float64(ended)/float64(max(1, all.Total)), batchProgress(all, ended-before, time.Since(began)))
		return false, nil
	})
	return batches, err
}

// batchProgress words where batches stand, of which so many jobs ended within the time that was watched.
func batchProgress(all client.BatchStats, ended int, watched time.Duration) string {
	word := fmt.Sprintf("%d of %d done", all.Finished, all.Total)
	if all.Error > 0 {
		word += fmt.Sprintf(", %d failed", all.Error)
	}
	if ended > 0 {
		left := watched / time.Duration(ended) * time.Duration(all.Pending)
		word += ", about " + wording.Duration(max(left.Round(10*time.Second), 10*time.Second)) + " left"
	}
	return word
}

// tellBatchFailures says which jobs did not end well, and where they stood in what was submitted; it is the exit code 1 when
// there are some.
func tellBatchFailures(batches []client.Batch, out *terminal.Output, where func(batch, index int) string) error {
	failed := false
	for i, b := range batches {
		for _, j := range b.Jobs {
			if j.Status == farm.JobFinished {
				continue
			}
			failed = true
			why := j.Stats.Error
			if why == "" {
				why = wording.Job(j.Status)
			}
			fmt.Fprintf(out.Errors, "%s: %s (job %s)\n", where(i, j.Index), terminal.Lines(why), j.ID)
		}
		failed = failed || b.Stats.Error > 0
	}
	if failed {
		return exit.Code(exit.Failed)
	}
	return nil
}

type cancelCommand struct {
	IDs []string `arg:"" name:"batch" help:"Batches whose jobs are cancelled." complete:"batch"`
	remote.Flags
}

func (x cancelCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := x.Client()
	if err != nil {
		return err
	}
	return x.PrintEach(out, x.IDs, func(id string) (remote.Answer, string, error) {
		b, err := c.CancelBatch(ctx, id)
		if err != nil {
			return nil, "", fmt.Errorf("cancel batch %s: %w", id, err)
		}
		return b, fmt.Sprintf("%s: %s cancelled, %d rendering or ended already", id, terminal.Plural(b.CancelledCount, "job"), b.SkippedCount), nil
	})
}

type downloadCommand struct {
	batchRef
	remote.Farm
	remote.Waiting
	Dir       string `help:"Folder to write to; each file is called as its job is, or else by its id." type:"path" default:"."`
	Overwrite bool   `help:"Write over files that are there already."`
}

func (d downloadCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := d.Client()
	if err != nil {
		return err
	}
	var batches []client.Batch
	if d.Wait {
		limited, cancel := d.Bound(ctx)
		defer cancel()
		batches, err = watchBatches(limited, c, []string{d.ID}, out)
	} else {
		var b client.Batch
		b, err = c.Batch(ctx, d.ID)
		batches = []client.Batch{b}
	}
	if err != nil {
		return err
	}
	folder, open := remote.Folder{Dir: d.Dir, Overwrite: d.Overwrite}, 0
	for _, j := range batches[0].Jobs {
		if j.Status != farm.JobFinished {
			if !j.Status.Ended() {
				open++
			}
			continue
		}
		job, err := c.Job(ctx, j.ID)
		if err != nil {
			return err
		}
		if err := folder.Fetch(ctx, c, j.OutputURL, job.Name, j.ID, out); err != nil {
			return err
		}
	}
	if open > 0 {
		out.Remark("%s not done yet; --wait waits for them", terminal.Plural(open, "job"))
	}
	return nil
}
