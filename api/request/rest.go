package request

import (
	"io"

	"github.com/gofiber/fiber/v2"
)

// restLimit bounds what is read of a body that its handler has left.
const restLimit = 1 << 20

// ReadRest reads what is left of a body, up to a limit on the whole of it, and gives the size of the whole. Without a limit, which
// is -1 then, only little may be left.
func ReadRest(c *fiber.Ctx, limit int64) (int64, error) {
	body := Open(c.Context())
	if limit < 0 {
		limit = body.read + restLimit
	}
	body.limit = max(limit, body.read)
	if _, err := io.Copy(io.Discard, body); err != nil {
		return 0, err
	}
	return body.read, nil
}
