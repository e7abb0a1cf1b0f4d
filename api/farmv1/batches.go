package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/farm"
)

// listBatches lists the team's batches, the newest first.
func (s *server) listBatches(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	limit := input.QueryNumber(c, "limit", input.ListSize, 1, input.ListLimit, wrong)
	cursor := input.QueryCursor(c, wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	list, next, err := s.farm.Batches(ctx, p, cursor, limit)
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
