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
func (s *server) releaseJob(c *fiber.Ctx, p farm.Principal) error {
	return s.release(c, p, []string{c.Params("id")})
}

func (s *server) releaseJobs(c *fiber.Ctx, p farm.Principal) error {
	ids, err := input.JobIDs(c)
	if err != nil {
		return err
	}
	return s.release(c, p, ids)
}

func (s *server) release(c *fiber.Ctx, p farm.Principal, ids []string) error {
	ctx, done := request.Call(c)
	defer done()
	jobs, err := s.farm.ReleaseJobs(ctx, p, ids)
	if err != nil {
		return err
	}
	return answer.OK(c, public.JobShapes(s.farm, jobs, false))
}
