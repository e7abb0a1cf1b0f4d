package farmv1

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/coordinator/files"
	"overcrank/farm"
)

// reasonLimit bounds why a job is rejected, in bytes.
const reasonLimit = 2000

// listSamples gives the frames that came before the rest of their job, in full size.
func (h jobHandlers) listSamples(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	id := c.Params("id")
	list, err := h.results.Samples(ctx, p, id)
	if err != nil {
		return err
	}
	return answer.OK(c, pictureShapes(list, "/api/farm/v1/jobs/"+id+"/samples/%d.png"))
}

func (h jobHandlers) getSample(c *fiber.Ctx, p farm.Principal) error {
	frame, err := pictured(c)
	if err != nil {
		return err
	}
	opt := answer.FileOptions{ContentType: "image/png", CacheControl: "private, max-age=3600"}
	return answer.OpenFile(c, opt, func(ctx context.Context) (*files.File, error) {
		return h.results.OpenSample(ctx, p, c.Params("id"), frame)
	})
}

// approveJob lets the rest of a job begin whose first frames somebody has looked at.
func (h jobHandlers) approveJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	job, err := h.jobs.ApproveJob(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return h.answerFarmJob(ctx, c, p, job)
}

// rejectJob ends a job whose first frames are not what was meant.
func (h jobHandlers) rejectJob(c *fiber.Ctx, p farm.Principal) error {
	reason, err := input.Body(c, decodeRejection)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	job, err := h.jobs.RejectJob(ctx, p, c.Params("id"), reason)
	if err != nil {
		return err
	}
	return h.answerFarmJob(ctx, c, p, job)
}

// decodeRejection reads why; a request without a body gives no reason.
func decodeRejection(body []byte) (string, error) {
	if len(body) == 0 {
		return "", nil
	}
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return "", err
	}
	o.Only("reason")
	return o.Text("reason", reasonLimit), wrong.Err()
}
