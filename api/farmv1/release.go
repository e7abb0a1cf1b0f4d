package farmv1

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/farm"
)

// releaseJob lets a held job begin.
func (h jobHandlers) releaseJob(c *fiber.Ctx, p farm.Principal) error {
	return h.changeHold(c, p, []string{c.Params("id")}, h.jobs.ReleaseJobs)
}

func (h jobHandlers) releaseJobs(c *fiber.Ctx, p farm.Principal) error {
	ids, err := input.JobIDs(c)
	if err != nil {
		return err
	}
	return h.changeHold(c, p, ids, h.jobs.ReleaseJobs)
}

// holdJob keeps a waiting job back.
func (h jobHandlers) holdJob(c *fiber.Ctx, p farm.Principal) error {
	return h.changeHold(c, p, []string{c.Params("id")}, h.jobs.HoldJobs)
}

func (h jobHandlers) holdJobs(c *fiber.Ctx, p farm.Principal) error {
	ids, err := input.JobIDs(c)
	if err != nil {
		return err
	}
	return h.changeHold(c, p, ids, h.jobs.HoldJobs)
}

func (h jobHandlers) changeHold(c *fiber.Ctx, p farm.Principal, ids []string, change func(context.Context, farm.Principal, []string) ([]farm.Job, error)) error {
	ctx, done := request.Call(c)
	defer done()
	jobs, err := change(ctx, p, ids)
	if err != nil {
		return err
	}
	return answer.OK(c, public.JobShapes(h.jobs, jobs, false))
}
