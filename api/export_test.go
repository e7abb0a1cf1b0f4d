package api

import (
	"overcrank/coordinator"
	"overcrank/farm"
)

// Route is a line of the table of routes.
type Route struct {
	Method, Path string
	Action       farm.Action
}

// TeamRoutes is the table of the routes for members of a team.
func TeamRoutes() (out []Route) {
	for _, r := range (&server{farm: partsOf(&coordinator.Coordinator{})}).teamRoutes() {
		out = append(out, Route{r.Method, r.Path, r.Action})
	}
	return out
}
