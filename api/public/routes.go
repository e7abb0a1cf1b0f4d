// Package public answers the public interface: templates, jobs, batches, fonts and secrets (/api/v2 and /api/v3), and the files of
// templates and results.
//
// A job is read by submission.go and its neighbours, one file for each part of it, and answered in the shapes of jobshape.go.
package public

import (
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/route"
	"overcrank/coordinator/library"
	"overcrank/coordinator/results"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// Farm is what the public interface speaks with.
type Farm struct {
	Templates *templates.Catalog
	Jobs      Jobs
	Batches   Batches
	Fonts     *library.Fonts
	Secrets   *library.Secrets
	Results   *results.Results
	Now       func() time.Time
}

// Routes are the addresses of the public interface for members of a team.
func Routes(f Farm) []route.Route {
	return slices.Concat(
		templateHandlers{f.Templates, f.Now}.routes(),
		jobHandlers{f.Jobs}.routes(),
		batchHandlers{f.Batches}.routes(),
		fontHandlers{f.Fonts}.routes(),
		secretHandlers{f.Secrets}.routes(),
	)
}

// MountFiles adds the addresses that need no token: each is signed, or cannot be guessed. forTeam lets a member of a team through to a
// handler; with it, results are for their job's team only.
func MountFiles(app *fiber.App, f Farm, forTeam func(farm.Action, route.Handler) fiber.Handler) {
	templates, outputs := templateHandlers{f.Templates, f.Now}, outputHandlers{f.Results}
	app.Put("/files/templates/:id", templates.takeTemplate)
	app.Get("/files/templates/:id", templates.giveTemplate)
	if forTeam != nil {
		app.Get("/outputs/:name", forTeam(farm.ActView, outputs.giveTeamsOutput))
		return
	}
	app.Get("/outputs/:name", outputs.giveOutput)
}
