// Package route is a line of the table of addresses: what it takes to use one, and who answers.
package route

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/input"
	"overcrank/farm"
)

// Handler answers a request of a member of a team.
type Handler func(c *fiber.Ctx, p farm.Principal) error

// Route is one address of the interface and what it takes to use it.
type Route struct {
	Method string
	Path   string
	Action farm.Action
	Handle Handler
}

// Get is a route for GET, and HEAD with it.
func Get(path string, action farm.Action, handle Handler) Route {
	return Route{fiber.MethodGet, path, action, handle}
}

func Post(path string, action farm.Action, handle Handler) Route {
	return Route{fiber.MethodPost, path, action, handle}
}

func Put(path string, action farm.Action, handle Handler) Route {
	return Route{fiber.MethodPut, path, action, handle}
}

func Patch(path string, action farm.Action, handle Handler) Route {
	return Route{fiber.MethodPatch, path, action, handle}
}

func Delete(path string, action farm.Action, handle Handler) Route {
	return Route{fiber.MethodDelete, path, action, handle}
}

// WellFormed refuses an id that no record can have with 400, where the public interface has that for an address.
func WellFormed(h Handler) Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		if id := c.Params("id"); !input.ID.MatchString(id) {
			return farm.Invalid("the address names no id of the farm", farm.FieldError{Field: "id", Message: fmt.Sprintf("%.100q is no id: these are 26 digits and capital letters", id)})
		}
		return h(c, p)
	}
}
