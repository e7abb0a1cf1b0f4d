package web

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/page"
)

// frameTimes says how long each frame of a job took, where its machines have told that. The page asks for it, so that no live part carries it.
func (s *server) frameTimes(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id := c.Params("id")
	timed, err := s.farm.results.FrameTimes(ctx, p, id)
	if err != nil {
		return err
	}
	attempts, _, err := s.farm.tasks.JobAttempts(ctx, p, id, "", timelineTasks)
	if err != nil {
		return err
	}
	return c.JSON(page.FrameTimesOf(ctx, timed, attempts))
}
