package api

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/files"
	"overcrank/farm"
)

// reasonLimit bounds why a job is rejected, in bytes.
const reasonLimit = 2000

// listSamples gives the frames that came before the rest of their job, in full size.
func (s *server) listSamples(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	id := c.Params("id")
	list, err := s.farm.Results().Samples(ctx, p, id)
	if err != nil {
		return err
	}
	return ok(c, pictureShapes(list, "/api/farm/v1/jobs/"+id+"/samples/%d.png"))
}

func (s *server) getSample(c *fiber.Ctx, p farm.Principal) error {
	frame, err := pictured(c)
	if err != nil {
		return err
	}
	opt := FileOptions{ContentType: "image/png", CacheControl: "private, max-age=3600"}
	return s.give(c, opt, func(ctx context.Context) (*files.File, error) {
		return s.farm.Results().OpenSample(ctx, p, c.Params("id"), frame)
	})
}

// approveJob lets the rest of a job begin whose first frames somebody has looked at.
func (s *server) approveJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	job, err := s.farm.ApproveJob(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return s.answerFarmJob(ctx, c, p, job)
}

// rejectJob ends a job whose first frames are not what was meant.
func (s *server) rejectJob(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	reason, err := decodeRejection(body)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	job, err := s.farm.RejectJob(ctx, p, c.Params("id"), reason)
	if err != nil {
		return err
	}
	return s.answerFarmJob(ctx, c, p, job)
}

// decodeRejection reads why; a request without a body gives no reason.
func decodeRejection(body []byte) (string, error) {
	if len(body) == 0 {
		return "", nil
	}
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return "", err
	}
	o.only("reason")
	return o.text("reason", reasonLimit), wrong.err()
}
