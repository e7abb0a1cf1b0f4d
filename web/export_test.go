package web

import (
	"context"

	"overcrank/api/route"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/web/page"
)

// Routes is the table of the pages for people who are signed in.
func Routes() []route.Route { return (&server{}).routes() }

// RunsOf are the tasks that a machine of a farm works on, as pages name them.
func RunsOf(ctx context.Context, c *coordinator.Coordinator, p farm.Principal, m farm.Machine) ([]page.Run, error) {
	return (&server{farm: partsOf(c)}).runsOf(ctx, p, m, map[string]page.Run{})
}

// SealSession makes the cookie of a session.
func SealSession(f *coordinator.Coordinator, tokenID string, session farm.Session) string {
	return sessionsOf(f).seal(tokenID, session)
}
