// Package reports has the command that says what machines did, and what that costs.
package reports

import (
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/wording"
)

// Reports is overcrank reports.
type Reports struct {
	From string `help:"First day, such as 2026-11-01, UTC; 29 days before the last if not given."`
	To   string `help:"Last day; today if not given."`
	By   string `help:"What by: day, team, template, project, person, machine or cause." enum:"day,team,template,project,person,machine,cause" default:"template"`
	CSV  bool   `name:"csv" help:"Print comma-separated values."`
	remote.Flags
}

// Help is for the parser of the command line.
func (Reports) Help() string {
	return `Machine time is summed up by the day on which attempts end, and kept for 400 days. Those who steer the farm see all teams together.

    overcrank reports --from 2026-11-01 --to 2026-11-30 --by person --csv`
}

// Run prints a report.
func (r Reports) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	report, err := c.Report(ctx, r.From, r.To)
	return r.Print(out, report, err, func() error {
		rows := [][]string{{strings.ToUpper(r.By), "TIME", "JOBS", "FAILED", "TIME LOST", "COST"}}
		time := func(seconds float64) string { return wording.MachineTime(seconds / 3600).String() }
		if r.CSV {
			rows, time = [][]string{{strings.ToUpper(r.By), "HOURS", "JOBS", "FAILED", "LOST HOURS", "COST"}}, hours
		}
		lines := map[string][]client.ReportLine{
			"day": report.Days, "team": report.Teams, "template": report.Templates, "project": report.Projects, "person": report.People, "machine": report.Machines, "cause": report.Causes,
		}[r.By]
		for _, l := range append(lines, total(report)) {
			rows = append(rows, []string{name(l), time(l.Seconds), fmt.Sprint(l.Jobs), fmt.Sprint(l.Failed), time(l.WastedSeconds), strconv.FormatFloat(l.Cost, 'f', 2, 64)})
		}
		if r.CSV {
			return printCSV(out, rows)
		}
		out.Remark("%s to %s, days in UTC%s.", report.From, report.To, in(report.Currency))
		t := terminal.NewTable(rows[0]...)
		for _, row := range rows[1:] {
			t.Row(row...)
		}
		return out.Table(t)
	})
}

func total(report client.Report) client.ReportLine {
	line := report.Total
	line.Name = "total"
	return line
}

// printCSV prints rows as a spreadsheet takes them: no name from outside becomes a formula.
func printCSV(out *terminal.Output, rows [][]string) error {
	w := csv.NewWriter(out)
	for _, row := range rows {
		if strings.ContainsAny(row[0][:min(1, len(row[0]))], "=+-@\t\r") && row[0] != "-" {
			row[0] = "'" + row[0]
		}
		if err := w.Write(row); err != nil {
			return fmt.Errorf("printing a report: %w", err)
		}
	}
	w.Flush()
	return w.Error()
}

// name is what a line is called.
func name(l client.ReportLine) string {
	switch {
	case l.Name != "":
		return l.Name
	case l.Subject == "":
		return "all others"
	}
	return l.Subject
}

func hours(seconds float64) string { return strconv.FormatFloat(seconds/3600, 'f', 2, 64) }

func in(currency string) string {
	if currency == "" {
		return ""
	}
	return ", costs in " + currency
}
