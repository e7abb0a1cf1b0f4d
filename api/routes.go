package api

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/agents"
	"overcrank/api/farmv1"
	"overcrank/api/openapi"
	"overcrank/api/public"
	"overcrank/api/route"
)

// teamRoutes are the addresses for members of a team, by bearer token. Which role may do what is farm.Grants' to say.
func (s *server) teamRoutes() []route.Route {
	own := farmv1.Config{Version: s.version, Logger: s.logger, Sockets: s.sockets, Followers: s.follow}
	return slices.Concat(public.Routes(s.farm.public), farmv1.Routes(s.farm.own, own), s.vitalRoutes())
}

// route adds everything that the interface answers.
func (s *server) route(app *fiber.App) {
	app.Get(openapi.PathPublic, s.giveInterface(openapi.Public))
	app.Get(openapi.PathFarm, s.giveInterface(openapi.Farm))
	app.Get(pathAlive, s.alive)
	app.Get(pathReady, s.ready)
	// What follows tells of the farm, and every coordinator has to tell the same.
	routes := s.teamRoutes()
	app.Use([]string{"/api", "/files", "/outputs"}, s.fresh(routes))

	for _, r := range routes {
		if r.Browsers {
			app.Get(r.Path, s.forReader(r.Action, r.Handle))
			continue
		}
		if r.Method == fiber.MethodGet {
			app.Get(r.Path, s.forTeam(r.Action, r.Handle)) // and HEAD, which Add would leave out
			continue
		}
		handle := r.Handle
		if r.Method == fiber.MethodPost {
			handle = s.once(handle)
		}
		if r.Submits {
			app.Add(r.Method, r.Path, s.proved(s.forTeam(r.Action, handle)))
			continue
		}
		app.Add(r.Method, r.Path, s.forTeam(r.Action, handle))
	}

	agents.Mount(app, s.farm.machines, agents.Config{Logger: s.logger, Sockets: s.sockets, Strangers: s.strangers})
	if s.teamsResults {
		public.MountFiles(app, s.farm.public, s.forReader)
	} else {
		public.MountFiles(app, s.farm.public, nil)
	}
}
