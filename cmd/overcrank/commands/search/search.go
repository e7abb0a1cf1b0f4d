// Package search has the command that finds things by words.
package search

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

// Search is overcrank search.
type Search struct {
	Words []string `arg:"" help:"Words, all of which have to be there; the last may be the beginning of one."`
	Kind  string   `help:"Only job, batch, template, machine or person." enum:",job,batch,template,machine,person" default:""`
	Limit int      `help:"Maximum number of each kind, up to 100." default:"10"`
	remote.Flags
}

// Help is for the parser of the command line.
func (Search) Help() string {
	return `By words in names, tags, ids, who submitted, compositions, and what jobs put into layers. Case and accents do not matter.

    overcrank search spring caf                  # Café, spring-sale
    overcrank search promo --kind job --json | jq -r '.found[].id'`
}

// Run finds what the words say.
func (s Search) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	found, err := c.Search(ctx, strings.Join(s.Words, " "), s.Kind, s.Limit)
	return s.Print(out, found, err, func() error {
		if found.Indexing != nil {
			out.Remark("Still indexing: %d of %d jobs can be found so far.", found.Indexing.Done, found.Indexing.Total)
		}
		if len(found.Found) == 0 {
			out.Remark("Nothing was found.")
			return nil
		}
		t := terminal.NewTable("KIND", "ID", "NAME", "STATE", "BY", "COMPOSITION", "SINCE")
		for _, f := range found.Found {
			t.Row(f.Kind, f.ID, f.Name, state(f), f.By, f.Composition, terminal.LocalTime(f.CreatedAt))
		}
		if err := out.Table(t); err != nil {
			return err
		}
		if len(found.More) > 0 {
			out.Remark("There is more (%s): --limit shows it, or more words find less.", strings.Join(found.More, ", "))
		}
		return nil
	})
}

// state says how something that was found is.
func state(f client.FoundRecord) string {
	switch f.Kind {
	case "job":
		return wording.Job(farm.JobStatus(f.Status))
	case "batch":
		return fmt.Sprintf("%d jobs", f.Jobs)
	case "template":
		return wording.Template(farm.TemplateStatus(f.Status))
	default:
		return f.Status
	}
}
