package web

import (
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
	"overcrank/web/page"
)

// reports is what pages ask of the farm about what machines did.
type reports interface {
	Report(ctx context.Context, p farm.Principal, from, to time.Time) (coordinator.Report, error)
	DoneToday(ctx context.Context, p farm.Principal, since time.Time) (team farm.Sum, own int, err error)
	Rates(ctx context.Context, p farm.Principal) (farm.Rates, error)
	PutRates(ctx context.Context, p farm.Principal, rates farm.Rates) (farm.Rates, error)
	Now() time.Time
}

// reportDays is how many days a report has when nobody says which.
const reportDays = 30

func (s *server) report(c *fiber.Ctx, p farm.Principal) error {
	return s.showReport(c, p, page.RatesForm{})
}

// showReport shows a report, with what the form of the rates was refused for.
func (s *server) showReport(c *fiber.Ctx, p farm.Principal, form page.RatesForm) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.readReport(ctx, c, p)
	if err != nil {
		return err
	}
	if form.Error == "" {
		form = page.FormOfRates(v.Report.Rates)
	}
	v.Form = form
	return s.render(c, page.ReportPage(s.shell(c, p, say(c, "Reports"), "reports"), v))
}

func (s *server) readReport(ctx context.Context, c *fiber.Ctx, p farm.Principal) (page.Report, error) {
	today := farm.Day(s.farm.reports.Now())
	to := dayOr(c.Query("to"), today)
	from := dayOr(c.Query("from"), to.AddDate(0, 0, 1-reportDays))
	report, err := s.farm.reports.Report(ctx, p, from, to)
	return page.Report{Report: reportOf(ctx, report), Today: today}, err
}

// dayOr reads a day as forms send it.
func dayOr(text string, byDefault time.Time) time.Time {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return byDefault
	}
	return day
}

// reportOf is a report as pages show it.
func reportOf(ctx context.Context, r coordinator.Report) page.ReportValues {
	lines := func(kind farm.SumKind, all []coordinator.ReportLine) []page.ReportLine {
		out := make([]page.ReportLine, len(all))
		for i, l := range all {
			out[i] = page.ReportLine{Subject: l.Subject, Name: reportName(ctx, kind, l), Sum: l.Sum, Cost: l.Cost}
		}
		return out
	}
	return page.ReportValues{
		From: r.From, To: r.To, Rates: r.Rates, Total: page.ReportLine{Name: language.Say(ctx, "Total"), Sum: r.Total, Cost: r.Rates.Cost(r.Total)},
		Days: lines(farm.SumAll, r.Days), Teams: lines("team", r.Teams), Templates: lines(farm.SumTemplate, r.Templates), Projects: lines(farm.SumProject, r.Projects),
		People: lines(farm.SumPerson, r.People), Machines: lines(farm.SumMachine, r.Machines), Causes: lines(farm.SumCause, r.Causes),
	}
}

// reportName is what people call the subject of a line.
func reportName(ctx context.Context, kind farm.SumKind, l coordinator.ReportLine) string {
	switch {
	case l.Subject == farm.OtherSubjects:
		return language.Say(ctx, "All others")
	case l.Subject == farm.NoSubject && kind == farm.SumTemplate:
		return language.Say(ctx, "Without a template")
	case l.Subject == farm.NoSubject && kind == farm.SumProject:
		return language.Say(ctx, "Without a project")
	case l.Subject == farm.NoSubject:
		return language.Say(ctx, "Nobody by name")
	case kind == farm.SumCause:
		return causeName(ctx, l.Subject)
	case l.Name != "":
		return l.Name
	case kind == farm.SumTemplate, kind == farm.SumMachine:
		return language.Say(ctx, "Removed (%s)", l.Subject)
	}
	return l.Subject
}

// causeName is the cause with a key, in some words.
func causeName(ctx context.Context, key string) string {
	cause, known := farm.CauseOf(key)
	if !known {
		return key
	}
	name := wording.Title(language.Say(ctx, wording.CauseKind(cause.Kind)))
	if cause.Subject != "" && !cause.Kind.OfMachine() && cause.Kind != farm.CauseTemplate {
		name += ": " + page.CauseSubject(ctx, cause)
	}
	return name
}

// reportCSV answers with all lines of a report as one table.
func (s *server) reportCSV(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.readReport(ctx, c, p)
	if err != nil {
		return err
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	if err := w.Write([]string{"by", "id", "name", "jobs finished", "attempts", "done", "failed", "machine hours", "wasted hours", "cost", "currency"}); err != nil {
		return fmt.Errorf("writing a report: %w", err)
	}
	for _, part := range v.Report.Parts() {
		for _, l := range part.Lines {
			row := []string{
				part.By, plainCell(l.Subject), plainCell(l.Name), strconv.Itoa(l.Jobs), strconv.Itoa(l.Attempts), strconv.Itoa(l.Done), strconv.Itoa(l.Failed),
				decimal(l.Hours(), 4), decimal(l.WastedHours(), 4), decimal(l.Cost, 2), plainCell(v.Report.Rates.Currency),
			}
			if err := w.Write(row); err != nil {
				return fmt.Errorf("writing a report: %w", err)
			}
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("writing a report: %w", err)
	}
	return answer.Download(c, readCloser{strings.NewReader(text.String())}, "text/csv; charset=utf-8",
		"overcrank-"+v.Report.From.Format(time.DateOnly)+"-to-"+v.Report.To.Format(time.DateOnly)+".csv")
}

// readCloser is text that needs no closing.
type readCloser struct{ *strings.Reader }

// Close does nothing.
func (readCloser) Close() error { return nil }

// plainCell keeps a spreadsheet from taking a name from outside for a formula.
func plainCell(text string) string {
	if text != "" && text != farm.NoSubject && strings.ContainsAny(text[:1], "=+-@\t\r") {
		return "'" + text
	}
	return text
}

func decimal(n float64, digits int) string { return strconv.FormatFloat(n, 'f', digits, 64) }

// changeRates sets what an hour of a machine costs.
func (s *server) changeRates(c *fiber.Ctx, p farm.Principal) error {
	form := page.RatesForm{
		Revision: c.FormValue("revision"), Currency: strings.TrimSpace(c.FormValue("currency")), PerHour: strings.TrimSpace(c.FormValue("perHour")), Tags: c.FormValue("tags"),
	}
	rates, err := form.Read()
	if err == nil {
		ctx, cancel := s.callOf(c)
		defer cancel()
		_, err = s.farm.reports.PutRates(ctx, p, rates)
	}
	if code := farm.CodeOf(err); code == farm.CodeInvalid || code == farm.CodeConflict {
		form.Error = sayError(c, err)
		c.Status(answer.StatusOf(err))
		return s.showReport(c, p, form)
	}
	if err != nil {
		return err
	}
	return c.Redirect("/reports", fiber.StatusSeeOther)
}
