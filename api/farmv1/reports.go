package farmv1

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator"
	"overcrank/farm"
)

// Reports is what the interface asks of the farm about what machines did, and what that costs.
type Reports interface {
	Report(ctx context.Context, p farm.Principal, from, to time.Time) (coordinator.Report, error)
	Rates(ctx context.Context, p farm.Principal) (farm.Rates, error)
	PutRates(ctx context.Context, p farm.Principal, rates farm.Rates) (farm.Rates, error)
	Now() time.Time
}

// reportHandlers answers for what machines did.
type reportHandlers struct{ reports Reports }

func (h reportHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/reports", farm.ActView, h.report),
		route.Get(root+"/rates", farm.ActView, h.rates),
		route.Put(root+"/rates", farm.ActChangePolicy, h.putRates),
	}
}

// reportBody is what machines did in some days.
type reportBody struct {
	From      string           `json:"from"`
	To        string           `json:"to"`
	Currency  *string          `json:"currency"`
	Total     reportLineBody   `json:"total"`
	Days      []reportLineBody `json:"days"`
	Teams     []reportLineBody `json:"teams"`
	Templates []reportLineBody `json:"templates"`
	Projects  []reportLineBody `json:"projects"`
	People    []reportLineBody `json:"people"`
	Machines  []reportLineBody `json:"machines"`
	Causes    []reportLineBody `json:"causes"`
}

// reportLineBody is one line of a report. Seconds are those of machines.
type reportLineBody struct {
	Subject       *string `json:"subject"`
	Name          *string `json:"name"`
	Jobs          int     `json:"jobs"`
	Attempts      int     `json:"attempts"`
	Done          int     `json:"done"`
	Failed        int     `json:"failed"`
	Seconds       float64 `json:"seconds"`
	WastedSeconds float64 `json:"wastedSeconds"`
	Cost          float64 `json:"cost"`
}

func reportShape(r coordinator.Report) reportBody {
	total := reportLineShape(coordinator.ReportLine{Sum: r.Total, Cost: r.Rates.Cost(r.Total)})
	return reportBody{
		From: r.From.Format(time.DateOnly), To: r.To.Format(time.DateOnly), Currency: answer.OrNull(r.Rates.Currency), Total: total,
		Days: answer.Each(r.Days, reportLineShape), Teams: answer.Each(r.Teams, reportLineShape), Templates: answer.Each(r.Templates, reportLineShape), Projects: answer.Each(r.Projects, reportLineShape),
		People: answer.Each(r.People, reportLineShape), Machines: answer.Each(r.Machines, reportLineShape), Causes: answer.Each(r.Causes, reportLineShape),
	}
}

func reportLineShape(l coordinator.ReportLine) reportLineBody {
	return reportLineBody{
		Subject: answer.OrNull(l.Subject), Name: answer.OrNull(l.Name), Jobs: l.Jobs, Attempts: l.Attempts, Done: l.Done, Failed: l.Failed,
		Seconds: float64(l.Time) / 1000, WastedSeconds: float64(l.Wasted) / 1000, Cost: l.Cost,
	}
}

// reportDays is how many days a report has when nobody says which.
const reportDays = 30

func (h reportHandlers) report(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	to := queryDay(c, "to", farm.Day(h.reports.Now()), wrong)
	from := queryDay(c, "from", to.AddDate(0, 0, 1-reportDays), wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	report, err := h.reports.Report(ctx, p, from, to)
	if err != nil {
		return err
	}
	return answer.OK(c, reportShape(report))
}

// queryDay reads a day of a query, such as 2026-11-27.
func queryDay(c *fiber.Ctx, key string, byDefault time.Time, wrong *input.Problems) time.Time {
	text := c.Query(key)
	if text == "" {
		return byDefault
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		wrong.Add(key, "has to be a day such as 2026-11-27, not %q", text)
	}
	return day
}

// ratesBody is what an hour of a machine costs.
type ratesBody struct {
	Revision int           `json:"revision"`
	Currency *string       `json:"currency"`
	PerHour  float64       `json:"perHour"`
	Tags     []tagRateBody `json:"tags"`
	At       answer.Time   `json:"at"`
	By       *string       `json:"by"`
}

// tagRateBody is what an hour of a machine with a tag costs.
type tagRateBody struct {
	Tag     string  `json:"tag"`
	PerHour float64 `json:"perHour"`
}

func ratesShape(r farm.Rates) ratesBody {
	body := ratesBody{Revision: r.Revision, Currency: answer.OrNull(r.Currency), PerHour: r.PerHour, At: answer.Time(r.At), By: answer.OrNull(r.By), Tags: []tagRateBody{}}
	for _, t := range r.Tags {
		body.Tags = append(body.Tags, tagRateBody(t))
	}
	return body
}

func (h reportHandlers) rates(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	rates, err := h.reports.Rates(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, ratesShape(rates))
}

func (h reportHandlers) putRates(c *fiber.Ctx, p farm.Principal) error {
	rates, err := input.Body(c, decodeRates)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	if rates, err = h.reports.PutRates(ctx, p, rates); err != nil {
		return err
	}
	return answer.OK(c, ratesShape(rates))
}

const (
	currencyLimit = 32 // bytes
	tagLimit      = 100
)

// decodeRates reads rates, with the revision that they were made from. When and by whom they were set may stand there, as in an answer, and
// counts for nothing.
func decodeRates(body []byte) (farm.Rates, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return farm.Rates{}, err
	}
	o.Only("revision", "currency", "perHour", "tags", "at", "by")
	var r farm.Rates
	if revision, given := o.Whole("revision", 0, 1<<31-1); given {
		r.Revision = revision
	} else {
		o.Need("revision")
	}
	r.Currency = o.Text("currency", currencyLimit)
	r.PerHour, _ = o.Number("perHour")
	o.Objects(o.List("tags"), "an object with tag and perHour", func(t input.Object) {
		t.Only("tag", "perHour")
		perHour, _ := t.Number("perHour")
		r.Tags = append(r.Tags, farm.TagRate{Tag: t.NeedText("tag", tagLimit), PerHour: perHour})
	})
	return r, wrong.Err()
}
