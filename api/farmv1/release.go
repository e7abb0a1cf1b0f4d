package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/farm"
)

// releaseJob lets a held job begin.
func (h jobHandlers) releaseJob(c *fiber.Ctx, p farm.Principal) error {
	return h.release(c, p, []string{c.Params("id")})
}

func (h jobHandlers) releaseJobs(c *fiber.Ctx, p farm.Principal) error {
	ids, err := input.JobIDs(c)
	if err != nil {
		return err
	}
	return h.release(c, p, ids)
}

func (h jobHandlers) release(c *fiber.Ctx, p farm.Principal, ids []string) error {
	ctx, done := request.Call(c)
	defer done()
	jobs, err := h.jobs.ReleaseJobs(ctx, p, ids)
	if err != nil {
		return err
	}
	return answer.OK(c, public.JobShapes(h.jobs, jobs, false))
}
