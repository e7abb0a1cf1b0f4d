package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/farm"
)

// whyWaiting says in a sentence why a job has not started.
func (h jobHandlers) whyWaiting(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	id := c.Params("id")
	why, err := h.jobs.WhyWaiting(ctx, p, id)
	if err != nil {
		return err
	}
	return answer.OK(c, map[string]string{"id": id, "why": why.String()})
}
