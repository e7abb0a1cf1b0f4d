package farmv1

import (
	"maps"
	"slices"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// retakenBody is what came of submitting rows of a batch again.
type retakenBody struct {
	BatchID string       `json:"batchId"`
	Jobs    []retakenRow `json:"jobs"`
	Refused []refusedRow `json:"refused"`
}

// retakenRow is the new job of a row, by the row's index from 0.
type retakenRow struct {
	Index int    `json:"index"`
	ID    string `json:"id"`
}

// refusedRow says why a row was not submitted again.
type refusedRow struct {
	Index int    `json:"index"`
	Error string `json:"error"`
}

func retakenShape(id string, result submission.BatchResult) retakenBody {
	body := retakenBody{BatchID: id, Jobs: make([]retakenRow, 0, len(result.Jobs)), Refused: make([]refusedRow, 0, len(result.Errs))}
	for _, entry := range result.Batch.Jobs {
		body.Jobs = append(body.Jobs, retakenRow{entry.Index, entry.ID})
	}
	for _, index := range slices.Sorted(maps.Keys(result.Errs)) {
		body.Refused = append(body.Refused, refusedRow{index, result.Errs[index].Error()})
	}
	return body
}

// retake submits rows of a batch again, in their places: those that are named, or all that failed.
func (h batchHandlers) retake(c *fiber.Ctx, p farm.Principal) error {
	takes, err := input.Body(c, decodeTakes)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	id := c.Params("id")
	var result submission.BatchResult
	if len(takes) == 0 {
		result, err = h.batches.RetakeFailed(ctx, p, id)
	} else {
		result, err = h.batches.RetakeRows(ctx, p, id, takes)
	}
	if err != nil {
		return err
	}
	return answer.Created(c, retakenShape(id, result))
}

// decodeTakes reads the rows, with what is sent for them in the place of what was sent before.
func decodeTakes(body []byte) (takes []submission.Take, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return nil, err
	}
	o.Only("rows")
	list := o.List("rows")
	if o.Has("rows") && (len(list) == 0 || len(list) > public.BatchLimit) {
		o.Problem("rows", "has to list 1 to %d rows; leave it out for all that failed", public.BatchLimit)
		return nil, wrong.Err()
	}
	o.Objects(list, "a row", func(row input.Object) {
		row.Only("index", "job")
		take := submission.Take{}
		if row.Need("index") {
			take.Row, _ = row.Whole("index", 0, public.BatchLimit-1)
		}
		if raw := row.Raw("job"); raw != nil {
			job, err := public.ReadJob(raw)
			take.Job, take.Err = &job, err
		}
		takes = append(takes, take)
	})
	return takes, wrong.Err()
}
