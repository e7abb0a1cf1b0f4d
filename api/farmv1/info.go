package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/farm"
)

func (s *server) getInfo(c *fiber.Ctx, _ farm.Principal) error {
	return answer.OK(c, map[string]string{"version": s.version})
}
