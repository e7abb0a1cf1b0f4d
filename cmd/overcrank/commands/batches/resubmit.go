package batches

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/variants"
)

type resubmitCommand struct {
	batchRef
	Index []int  `help:"Rows to submit again, by their index as batches show prints it; all that failed when none is named." placeholder:"INDEX"`
	Job   string `help:"JSON file with the job to submit instead of what was submitted before; with a single --index." type:"existingfile" placeholder:"FILE"`
	remote.Flags
}

func (x resubmitCommand) Run(ctx context.Context, out *terminal.Output) error {
	if x.Job != "" && len(x.Index) != 1 {
		return exit.Usagef("--job is for one row: name it with --index")
	}
	rows := make([]map[string]any, len(x.Index))
	for i, index := range x.Index {
		rows[i] = map[string]any{"index": index}
	}
	if x.Job != "" {
		job, err := readJobFile(x.Job)
		if err != nil {
			return err
		}
		rows[0]["job"] = job
	}
	c, err := x.Client()
	if err != nil {
		return err
	}
	made, err := c.RetakeBatch(ctx, x.ID, rows)
	if err := x.Print(out, made, err, func() error {
		t := terminal.NewTable("INDEX", "JOB")
		for _, j := range made.Jobs {
			t.Row(strconv.Itoa(j.Index), j.ID)
		}
		return out.Table(t)
	}); err != nil {
		return err
	}
	for _, r := range made.Refused {
		fmt.Fprintf(out.Errors, "index %d: %s\n", r.Index, terminal.Lines(r.Error))
	}
	if len(made.Refused) > 0 {
		return exit.Code(exit.Failed)
	}
	return nil
}

// readJobFile reads the one job of a file.
func readJobFile(path string) (map[string]any, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the job: %w", err)
	}
	defer f.Close()
	list, err := variants.FromJSON(f, nil)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if len(list) != 1 {
		return nil, exit.Usagef("%s holds %d jobs: a row has one", path, len(list))
	}
	return list[0].Job, nil
}
