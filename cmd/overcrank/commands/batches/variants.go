package batches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/localfiles"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/variants"
)

// handOver sends the files of this machine that the jobs name, each once. All are looked for before the first is sent.
func (s submitCommand) handOver(ctx context.Context, c *client.Client, list []variants.Variant, out *terminal.Output) error {
	base := "."
	if s.File != "-" {
		base = filepath.Dir(s.File)
	}
	var files []localfiles.File
	var missing []error
	for _, v := range list {
		named := localfiles.In(v.Job, base, "")
		for _, asset := range v.Media {
			if f, ok := localfiles.Named(asset, "value", base, fmt.Sprintf("field '%v'", asset["layerName"])); ok {
				named = append(named, f)
			}
		}
		for _, f := range named {
			f.What = v.Where + ", " + f.What
			if err := f.Check(); err != nil && len(missing) < missingLimit {
				missing = append(missing, err)
			}
			files = append(files, f)
		}
	}
	if err := errors.Join(missing...); err != nil {
		return err
	}
	h := localfiles.NewSender(c, out)
	for _, f := range files {
		if err := h.Replace(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// missingLimit is how many missing files are named, as far as a person would read on.
const missingLimit = 20

// batchBytes bounds a request, whose limit is 100 MiB.
const batchBytes = 90 << 20

// split divides jobs into what one batch takes each.
func split(list []variants.Variant) ([][]variants.Variant, error) {
	var groups [][]variants.Variant
	size := 0
	for i, v := range list {
		raw, err := json.Marshal(v.Job)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Where, err)
		}
		size += len(raw) + 1
		if i == 0 || len(groups[len(groups)-1]) == client.BatchLimit || size > batchBytes {
			groups, size = append(groups, nil), len(raw)+1
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], v)
	}
	return groups, nil
}

func jobsOf(group []variants.Variant) []map[string]any {
	jobs := make([]map[string]any, len(group))
	for i, v := range group {
		jobs[i] = v.Job
	}
	return jobs
}

// checkPattern refuses a pattern that names what the rows do not have.
func checkPattern(pattern string, list []variants.Variant) error {
	if err := variants.CheckPattern(pattern, list, "job"); err != nil {
		return exit.Usagef("--file-name: %s", err)
	}
	return nil
}

// resultName is how the file of a job's result is to be called, "" for by its id.
func (s submitCommand) resultName(group []variants.Variant, j client.BatchJob) string {
	if j.Index < 0 || j.Index >= len(group) {
		return ""
	}
	v := group[j.Index]
	switch {
	case s.FileName != "":
		return v.Fill(s.FileName, map[string]string{"job": j.ID})
	case v.Output != "":
		return v.Output
	}
	name, _ := v.Job["name"].(string)
	return name
}
