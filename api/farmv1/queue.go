package farmv1

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/farm"
)

// queueEntryBody is a task in line. What is null is another team's.
type queueEntryBody struct {
	Place    int         `json:"place"`
	Level    string      `json:"level"`
	Since    answer.Time `json:"since"`
	Job      *string     `json:"job"`
	JobName  *string     `json:"jobName"`
	Task     *string     `json:"task"`
	Kind     *string     `json:"kind"`
	Priority *int        `json:"priority"`
	// TemplateID is null also for a project that is no template.
	TemplateID  *string `json:"templateId"`
	Composition *string `json:"composition"`
}

func queueEntryShape(e farm.QueueEntry) queueEntryBody {
	body := queueEntryBody{
		Place: e.Place, Level: answer.LevelName(e.Level), Since: answer.Time(e.Since), Job: answer.OrNull(e.Job), Task: answer.OrNull(e.Task), Kind: answer.OrNull(string(e.Kind)),
	}
	if e.Job != "" {
		body.JobName, body.Priority = &e.JobName, &e.Priority
		body.TemplateID, body.Composition = answer.OrNull(e.Template), answer.OrNull(e.Composition)
	}
	return body
}

// queuePage is how many tasks one page of the queue holds at most.
const queuePage = 500

// Queue is what the interface asks of the farm about the order of work.
type Queue interface {
	Queue(ctx context.Context, p farm.Principal, limit int, cursor string) (entries []farm.QueueEntry, next string, err error)
}

// queueHandlers answers for the order of work.
type queueHandlers struct{ queue Queue }

func (h queueHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/queue", farm.ActView, h.listQueue),
	}
}

func (h queueHandlers) listQueue(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	limit := input.QueryNumber(c, "limit", input.ListSize, 1, queuePage, wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	entries, next, err := h.queue.Queue(ctx, p, limit, c.Query("cursor"))
	if err != nil {
		return err
	}
	answer.LinkNext(c, next)
	return answer.OK(c, answer.Each(entries, queueEntryShape))
}
