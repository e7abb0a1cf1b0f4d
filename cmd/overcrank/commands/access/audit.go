package access

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/url"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
)

// Audit is overcrank audit.
type Audit struct {
	By      string    `help:"Only what this person or token did, by id." placeholder:"ID"`
	Thing   string    `help:"Only what was done to the job, template, person… with this id." placeholder:"ID"`
	Action  string    `help:"Only this action, such as token.revoke." placeholder:"ACTION"`
	Team    string    `help:"Only what concerns this team, by id." placeholder:"ID"`
	Refused bool      `help:"Only what was refused."`
	Since   time.Time `help:"From this moment on." placeholder:"2026-05-01T00:00:00Z"`
	Until   time.Time `help:"Before this moment." placeholder:"2026-06-01T00:00:00Z"`
	Limit   int       `help:"Maximum number of records; 0 for all." default:"50"`
	CSV     bool      `name:"csv" help:"Print CSV."`
	remote.Flags
}

// Help is for the parser of the command line.
func (Audit) Help() string {
	return `The newest first. Administrators see what concerns their team, the farm's administrators all of it.

    overcrank audit --action session.fail
    overcrank audit --since 2026-05-01T00:00:00Z --limit 0 --csv > may.csv
    overcrank audit --thing JOB --json`
}

// Run prints who did what.
func (a Audit) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	list, err := c.Audit(ctx, a.query(), a.Limit)
	return a.Print(out, list, err, func() error {
		if a.CSV {
			return printAuditCSV(out, list.Items)
		}
		t := terminal.NewTable("TIME", "WHO", "DID", "WHAT", "FROM", "REFUSED")
		for _, r := range list.Items {
			t.Row(terminal.LocalTime(r.At), auditBy(r), farm.AuditAction(r.Action).Words(), auditThing(r), r.Address, r.Reason)
		}
		return out.Table(t)
	})
}

func (a Audit) query() url.Values {
	q := url.Values{}
	for key, value := range map[string]string{"by": a.By, "thing": a.Thing, "action": a.Action, "team": a.Team} {
		if value != "" {
			q.Set(key, value)
		}
	}
	for key, at := range map[string]time.Time{"since": a.Since, "until": a.Until} {
		if !at.IsZero() {
			q.Set(key, at.UTC().Format(time.RFC3339))
		}
	}
	if a.Refused {
		q.Set("refused", "true")
	}
	return q
}

func auditBy(r client.AuditRecord) string {
	if r.By == nil {
		return ""
	}
	return r.By.Name
}

func auditThing(r client.AuditRecord) string {
	if r.Thing == nil {
		return ""
	}
	words := strings.TrimSpace(r.Thing.Name)
	if words == "" {
		words = r.Thing.ID
	}
	if r.More > 0 {
		words += fmt.Sprintf(" and %d more", r.More)
	}
	if r.Left != nil && r.Joined != nil {
		words += fmt.Sprintf(", from %s to %s", r.Left.Name, r.Joined.Name)
	}
	return words
}

func printAuditCSV(out *terminal.Output, records []client.AuditRecord) error {
	w := csv.NewWriter(out)
	_ = w.Write(farm.AuditColumns()) // Flush says what went wrong
	for _, r := range records {
		row := farm.AuditRow{At: r.At, Address: r.Address, Action: r.Action, More: r.More, Times: r.Times, Refused: r.Refused, Reason: r.Reason}
		if r.By != nil {
			row.By, row.Name = r.By.ID, r.By.Name
		}
		if r.Thing != nil {
			row.Kind, row.Thing, row.ThingName = r.Thing.Kind, r.Thing.ID, r.Thing.Name
		}
		if r.Left != nil && r.Joined != nil {
			row.Left, row.Joined = r.Left.Name, r.Joined.Name
		}
		_ = w.Write(row.Cells())
	}
	w.Flush()
	return w.Error()
}
