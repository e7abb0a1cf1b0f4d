package input

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
)

// Body reads the JSON body of a request by its decoder, within JSONLimit.
func Body[T any](c *fiber.Ctx, decode func(body []byte) (T, error)) (T, error) {
	body, err := request.ReadBody(c, JSONLimit)
	if err != nil {
		var none T
		return none, err
	}
	return decode(body)
}
