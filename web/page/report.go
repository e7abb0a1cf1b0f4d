package page

import (
	"context"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
)

// Report is the page of what machines did.
type Report struct {
	Report ReportValues
	Today  time.Time
	Form   RatesForm
}

// ReportValues are the figures of a report.
type ReportValues struct {
	From, To                                             time.Time
	Rates                                                farm.Rates
	Total                                                ReportLine
	Days                                                 []ReportLine
	Teams, Templates, Projects, People, Machines, Causes []ReportLine
}

// ReportLine is one subject of a report.
type ReportLine struct {
	Subject, Name string
	farm.Sum
	Cost float64
}

// ReportPart is a table of a report.
type ReportPart struct {
	By, Title string
	Lines     []ReportLine
	Jobs      bool // finished jobs are counted by it
}

// Parts are the tables of a report, in their order.
func (r ReportValues) Parts() []ReportPart {
	return []ReportPart{
		{"day", language.Text("By day"), r.Days, true}, {"team", language.Text("By team"), r.Teams, true}, {"template", language.Text("By template"), r.Templates, true},
		{"project", language.Text("By project"), r.Projects, true}, {"person", language.Text("By person"), r.People, true},
		{"machine", language.Text("By machine"), r.Machines, false}, {"cause", language.Text("Failures by cause"), r.Causes, false},
	}
}

// Period is some days that a report can be about.
type Period struct {
	Name string
	Days int
}

func periods() []Period {
	return []Period{{language.Text("7 days"), 7}, {language.Text("30 days"), 30}, {language.Text("90 days"), 90}, {language.Text("A year"), 365}}
}

// address is where the report about a number of days until today stands.
func (r Report) address(days int) string {
	return reportAddress("/reports", r.Today.AddDate(0, 0, 1-days), r.Today)
}

// csv is where its figures stand as a table.
func (r Report) csv() string { return reportAddress("/reports.csv", r.Report.From, r.Report.To) }

func reportAddress(path string, from, to time.Time) string {
	return path + "?" + url.Values{"from": {from.Format(time.DateOnly)}, "to": {to.Format(time.DateOnly)}}.Encode()
}

// about tells whether the report is about a number of days until today.
func (r Report) about(days int) bool {
	return r.Report.To.Equal(r.Today) && r.Report.From.Equal(r.Today.AddDate(0, 0, 1-days))
}

// Sentence says what the report is about.
func (r Report) Sentence(ctx context.Context) string {
	return say(ctx, "%s to %s, days in UTC.", told(ctx, wording.Date(r.Report.From)), told(ctx, wording.Date(r.Report.To)))
}

// hoursWord is how long machines worked, in hours.
func hoursWord(ctx context.Context, h float64) string { return told(ctx, wording.MachineTime(h)) }

// unitsKept is a text whose numbers stay beside their units, however narrow the column is that it stands in.
func unitsKept(text string) string { return beforeUnit.ReplaceAllString(text, "$1\u00a0$2") }

var beforeUnit = regexp.MustCompile(`(\d) (\pL|%)`)

// costWord is an amount with its currency.
func costWord(ctx context.Context, cost float64, r farm.Rates) string {
	text := language.Decimal(ctx, math.Round(cost*100)/100, 2)
	if r.Currency != "" {
		text += " " + r.Currency
	}
	return text
}

func places(n float64) string { return strconv.FormatFloat(n, 'f', 2, 64) }

// share is how much of the first line's time a line has, in percent.
func (p ReportPart) share(l ReportLine) string {
	if len(p.Lines) == 0 || p.Lines[0].Time == 0 {
		return "0"
	}
	return places(100 * float64(l.Time) / float64(p.Lines[0].Time))
}

// RatesForm is what the form of the rates holds.
type RatesForm struct {
	Revision, Currency, PerHour string
	Tags                        string // lines with a tag and what an hour costs
	Error                       string
}

// FormOfRates is the form with the rates in force.
func FormOfRates(r farm.Rates) RatesForm {
	f := RatesForm{Revision: count(r.Revision), Currency: r.Currency, PerHour: strconv.FormatFloat(r.PerHour, 'f', -1, 64)}
	for _, t := range r.Tags {
		f.Tags += t.Tag + " " + strconv.FormatFloat(t.PerHour, 'f', -1, 64) + "\n"
	}
	return f
}

// Read reads the rates; its errors are CodeInvalid.
func (f RatesForm) Read() (farm.Rates, error) {
	wrong := func(field, message string, args ...any) error {
		return farm.Invalid("the rates were not changed", farm.Field(field, message, args...))
	}
	r := farm.Rates{Currency: f.Currency}
	var err error
	if r.Revision, err = strconv.Atoi(f.Revision); err != nil {
		return r, wrong("revision", "is not that of this form; load the page again")
	}
	if r.PerHour, err = amount(f.PerHour); err != nil {
		return r, wrong("perHour", "has to be a number such as 1.50")
	}
	for line := range strings.Lines(strings.ReplaceAll(f.Tags, "\r\n", "\n")) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		at := strings.LastIndex(line, " ")
		perHour, err := amount(line[at+1:])
		if at < 0 || err != nil {
			return r, wrong("tags", "has a line that is not a tag and a number: “%s”", line)
		}
		r.Tags = append(r.Tags, farm.TagRate{Tag: strings.TrimSpace(line[:at]), PerHour: perHour})
	}
	return r, nil
}

// amount reads a price; nothing is free.
func amount(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64)
	if err == nil && (math.IsNaN(n) || math.IsInf(n, 0)) {
		err = strconv.ErrRange
	}
	return n, err
}
