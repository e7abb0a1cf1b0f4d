package farmv1

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator"
	"overcrank/farm"
)

// Batches is what the interface asks of the farm about batches.
type Batches interface {
	Batches(ctx context.Context, p farm.Principal, cursor string, limit int) (list []coordinator.CountedBatch, next string, err error)
}

// batchHandlers lists a team's batches.
type batchHandlers struct{ batches Batches }

func (h batchHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/batches", farm.ActView, h.listBatches),
	}
}

// listBatches lists the team's batches, the newest first.
func (h batchHandlers) listBatches(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	limit := input.QueryNumber(c, "limit", input.ListSize, 1, input.ListLimit, wrong)
	cursor := input.QueryCursor(c, wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	list, next, err := h.batches.Batches(ctx, p, cursor, limit)
	if err != nil {
		return err
	}
	answer.LinkNext(c, next)
	out := make([]batchListed, len(list))
	for i, b := range list {
		stats := public.CountedStats(b.Counts)
		out[i] = batchListed{BatchID: b.ID, Status: public.BatchStatus(stats), CreatedAt: answer.Time(b.CreatedAt), Stats: stats}
	}
	return answer.OK(c, out)
}

// batchListed is a batch in a list.
type batchListed struct {
	BatchID   string            `json:"batchId"`
	Status    string            `json:"status"`
	CreatedAt answer.Time       `json:"createdAt"`
	Stats     public.BatchStats `json:"stats"`
}
