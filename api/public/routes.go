// Package public answers the public interface: templates, jobs, batches, fonts and secrets (/api/v2 and /api/v3), and the files of
// templates and results.
//
// A job is read by submission.go and its neighbours, one file for each part of it, and answered in the shapes of jobshape.go.
package public

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/route"
	"overcrank/coordinator"
	"overcrank/farm"
)

// publicServer answers what the public interface describes.
type server struct{ farm *coordinator.Coordinator }

// Addresses of what the public interface submits.
const (
	pathJobs    = "/api/v2/jobs"
	pathBatches = "/api/v2/batches"
)

// Submits says whether a request is one for new jobs. Those come by the thousand, and all that they answer with success is
// brought into the farm's log.
func Submits(method, path string) bool {
	return method == fiber.MethodPost && (path == pathJobs || path == pathBatches)
}

// Routes are the addresses of the public interface for members of a team.
func Routes(f *coordinator.Coordinator) []route.Route {
	s := &server{f}
	routes := []route.Route{
		route.Post("/api/v2/templates", farm.ActChangeTemplates, s.createTemplate),
		route.Get("/api/v2/templates", farm.ActView, s.listTemplates),
		route.Get("/api/v2/templates/:id", farm.ActView, s.getTemplate),
		route.Patch("/api/v2/templates/:id", farm.ActChangeTemplates, route.WellFormed(s.renameTemplate)),
		route.Delete("/api/v2/templates/:id", farm.ActDeleteTemplates, s.deleteTemplate),
		route.Get("/api/v2/templates/:id/download", farm.ActView, s.downloadTemplate),
		route.Get("/api/v2/templates/:id/upload", farm.ActView, s.downloadTemplate),
		route.Put("/api/v2/templates/:id/upload", farm.ActChangeTemplates, s.renewUpload),

		route.Post(pathJobs, farm.ActSubmit, s.createJob),
		route.Get(pathJobs, farm.ActView, s.listJobs),
		route.Post("/api/v2/jobs/join", farm.ActSubmit, s.joinJobs),
		route.Post("/api/v2/jobs/cancel", farm.ActChangeJobs, s.cancelJobs),
		route.Get("/api/v2/jobs/:id", farm.ActView, s.getJob),
		route.Get("/api/v2/jobs/:id/logs", farm.ActView, s.getJobLog),
		route.Patch("/api/v2/jobs/:id/cancel", farm.ActChangeJobs, s.cancelJob),

		route.Post("/api/v2/fonts", farm.ActAddFonts, s.addFont),
		route.Get("/api/v2/fonts", farm.ActView, s.listFonts),
		route.Get("/api/v2/fonts/:id", farm.ActView, s.getFont),
		route.Delete("/api/v2/fonts/:id", farm.ActDeleteFonts, s.deleteFont),
		route.Get("/api/v2/secrets", farm.ActViewSecrets, s.listSecrets),
		route.Put("/api/v2/secrets", farm.ActChangeSecrets, s.putSecret),
		route.Delete("/api/v2/secrets/:id", farm.ActChangeSecrets, s.deleteSecret),
		route.Post(pathBatches, farm.ActSubmit, s.createBatch),
		route.Get("/api/v2/batches/:id", farm.ActView, route.WellFormed(s.getBatch)),
		route.Post("/api/v2/batches/:id/cancel", farm.ActChangeJobs, route.WellFormed(s.cancelBatch)),
	}
	// Clients make the second root by stripping "/v2" from the first or by appending to it.
	for _, root := range []string{"/api/v3/templates", "/api/v2/v3/templates"} {
		routes = append(routes,
			route.Get(root, farm.ActView, s.listTemplates3),
			route.Get(root+"/:id", farm.ActView, route.WellFormed(s.getTemplate3)),
			route.Get(root+"/:id/compositions", farm.ActView, route.WellFormed(s.listCompositions)),
			route.Get(root+"/:id/layers", farm.ActView, route.WellFormed(s.listLayers)),
		)
	}
	return routes
}

// MountFiles adds the addresses that need no token: each is signed, or cannot be guessed. forTeam lets a member of a team through to a
// handler; with it, results are for their job's team only.
func MountFiles(app *fiber.App, f *coordinator.Coordinator, forTeam func(farm.Action, route.Handler) fiber.Handler) {
	s := &server{f}
	app.Put("/files/templates/:id", s.takeTemplate)
	app.Get("/files/templates/:id", s.giveTemplate)
	if forTeam != nil {
		app.Get("/outputs/:name", forTeam(farm.ActView, s.giveTeamsOutput))
		return
	}
	app.Get("/outputs/:name", s.giveOutput)
}
