package farmv1

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/audit"
	"overcrank/farm"
)

// auditBody is a record of the audit log.
type auditBody struct {
	ID      string          `json:"id"`
	At      answer.Time     `json:"at"`
	Team    *string         `json:"team"`
	By      *auditByBody    `json:"by"`
	Address *string         `json:"address"`
	Action  string          `json:"action"`
	Thing   *auditThingBody `json:"thing"`
	Left    *auditThingBody `json:"left"`
	Joined  *auditThingBody `json:"joined"`
	More    int             `json:"more"`
	Times   int             `json:"times"`
	Refused *string         `json:"refused"`
	Reason  *string         `json:"reason"`
}

// auditByBody is who did something.
type auditByBody struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Person bool   `json:"person"`
}

// auditThingBody is what something was done to.
type auditThingBody struct {
	Kind string  `json:"kind"`
	ID   *string `json:"id"`
	Name *string `json:"name"`
}

func auditShape(r farm.AuditRecord) auditBody {
	body := auditBody{
		ID: r.ID, At: answer.Time(r.At), Team: answer.OrNull(r.Team), Address: answer.OrNull(r.Address), Action: string(r.Action), More: r.More, Times: max(1, r.Times),
		Refused: answer.OrNull(string(r.Refused)), Reason: answer.OrNull(r.Reason),
	}
	if r.Token != "" {
		body.By = &auditByBody{r.Token, r.Name, r.Person}
	}
	body.Thing, body.Left, body.Joined = auditThingShape(r.Thing), auditThingShape(r.Left), auditThingShape(r.Joined)
	return body
}

func auditThingShape(thing farm.AuditThing) *auditThingBody {
	if thing.Kind == "" {
		return nil
	}
	return &auditThingBody{thing.Kind, answer.OrNull(thing.ID), answer.OrNull(thing.Name)}
}

// auditHandlers answers for who did what.
type auditHandlers struct{ audit *audit.Log }

func (h auditHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/audit", farm.ActAudit, h.list),
	}
}

func (h auditHandlers) list(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	q := farm.AuditQuery{
		Team: c.Query("team"), Token: c.Query("by"), Thing: c.Query("thing"), Action: farm.AuditAction(c.Query("action")), Before: c.Query("cursor"),
		Refused: input.QueryFlag(c, "refused", wrong), Limit: input.QueryNumber(c, "limit", input.ListSize, 1, audit.MostPage, wrong),
		From: queryMoment(c, "since", wrong), To: queryMoment(c, "until", wrong),
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	records, next, err := h.audit.Read(ctx, p, q)
	if err != nil {
		return err
	}
	answer.LinkNext(c, next)
	return answer.OK(c, answer.Each(records, auditShape))
}

// queryMoment reads a moment from the query, zero for none.
func queryMoment(c *fiber.Ctx, key string, wrong *input.Problems) time.Time {
	text := c.Query(key)
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		wrong.Add(key, "has to be a moment such as 2026-05-01T12:00:00Z, not %q", text)
	}
	return at
}
