// Package route is a line of the table of addresses: what it takes to use one, and who answers.
package route

import (
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
	// Submits says that it takes new jobs. Those come by the thousand, and all that they answer with success is brought into the farm's log.
	Submits bool
	// Leaderless says that it is answered also while no coordinator leads, of what this one knows.
	Leaderless bool
	// Browsers says that who is signed in to the dashboard needs no token: a browser opens it by itself.
	Browsers bool
}

// Submitting is a route that takes new jobs.
func (r Route) Submitting() Route { r.Submits = true; return r }

// WithoutLeader is a route that is answered also while no coordinator leads.
func (r Route) WithoutLeader() Route { r.Leaderless = true; return r }

// ForBrowsers is a route that browsers open by themselves.
func (r Route) ForBrowsers() Route { r.Browsers = true; return r }

// Get is a route for GET, and HEAD with it.
func Get(path string, action farm.Action, handle Handler) Route {
	return Route{Method: fiber.MethodGet, Path: path, Action: action, Handle: handle}
}

// Post is a route for POST.
func Post(path string, action farm.Action, handle Handler) Route {
	return Route{Method: fiber.MethodPost, Path: path, Action: action, Handle: handle}
}

// Put is a route for PUT.
func Put(path string, action farm.Action, handle Handler) Route {
	return Route{Method: fiber.MethodPut, Path: path, Action: action, Handle: handle}
}

// Patch is a route for PATCH.
func Patch(path string, action farm.Action, handle Handler) Route {
	return Route{Method: fiber.MethodPatch, Path: path, Action: action, Handle: handle}
}

// Delete is a route for DELETE.
func Delete(path string, action farm.Action, handle Handler) Route {
	return Route{Method: fiber.MethodDelete, Path: path, Action: action, Handle: handle}
}

// WellFormed refuses an id that no record can have with 400, where the public interface has that for an address.
func WellFormed(h Handler) Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		if id := c.Params("id"); !input.ID.MatchString(id) {
			return farm.Invalid("the address names no id of the farm", farm.Field("id", "%.100q is not an id: these are 26 digits and capital letters", id))
		}
		return h(c, p)
	}
}
