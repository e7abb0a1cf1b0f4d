package api

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/openapi"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// route is one address of the interface and what it takes to use it.
type route struct {
	method string
	path   string
	action farm.Action
	handle teamHandler
}

// teamRoutes are the addresses for members of a team, by bearer token. Which role may do what is farm.Grants' to say.
func (s *server) teamRoutes() []route {
	const (
		get, post, put, patch, remove = fiber.MethodGet, fiber.MethodPost, fiber.MethodPut, fiber.MethodPatch, fiber.MethodDelete
	)
	routes := []route{
		{post, "/api/v2/templates", farm.ActChangeTemplates, s.createTemplate},
		{get, "/api/v2/templates", farm.ActView, s.listTemplates},
		{get, "/api/v2/templates/:id", farm.ActView, s.getTemplate},
		{patch, "/api/v2/templates/:id", farm.ActChangeTemplates, wellFormed(s.renameTemplate)},
		{remove, "/api/v2/templates/:id", farm.ActDeleteTemplates, s.deleteTemplate},
		{get, "/api/v2/templates/:id/download", farm.ActView, s.downloadTemplate},
		{get, "/api/v2/templates/:id/upload", farm.ActView, s.downloadTemplate},
		{put, "/api/v2/templates/:id/upload", farm.ActChangeTemplates, s.renewUpload},

		{post, pathJobs, farm.ActSubmit, s.createJob},
		{get, pathJobs, farm.ActView, s.listJobs},
		{post, "/api/v2/jobs/join", farm.ActSubmit, s.joinJobs},
		{post, "/api/v2/jobs/cancel", farm.ActChangeJobs, s.cancelJobs},
		{get, "/api/v2/jobs/:id", farm.ActView, s.getJob},
		{get, "/api/v2/jobs/:id/logs", farm.ActView, s.getJobLog},
		{patch, "/api/v2/jobs/:id/cancel", farm.ActChangeJobs, s.cancelJob},

		{post, "/api/v2/fonts", farm.ActAddFonts, s.addFont},
		{get, "/api/v2/fonts", farm.ActView, s.listFonts},
		{get, "/api/v2/fonts/:id", farm.ActView, s.getFont},
		{remove, "/api/v2/fonts/:id", farm.ActDeleteFonts, s.deleteFont},
		{get, "/api/v2/secrets", farm.ActViewSecrets, s.listSecrets},
		{put, "/api/v2/secrets", farm.ActChangeSecrets, s.putSecret},
		{remove, "/api/v2/secrets/:id", farm.ActChangeSecrets, s.deleteSecret},
		{patch, "/api/farm/v1/secrets/:id", farm.ActChangeSecrets, s.changeSecret},
		{post, "/api/farm/v1/secret-keys", farm.ActChangeSecretKey, s.changeSecretKey},
		{post, pathBatches, farm.ActSubmit, s.createBatch},
		{get, "/api/v2/batches/:id", farm.ActView, wellFormed(s.getBatch)},
		{post, "/api/v2/batches/:id/cancel", farm.ActChangeJobs, wellFormed(s.cancelBatch)},
		{get, "/api/farm/v1/batches", farm.ActView, s.listBatches},
		{post, "/api/farm/v1/jobs/release", farm.ActChangeJobs, s.releaseJobs},
		{post, "/api/farm/v1/jobs/:id/release", farm.ActChangeJobs, s.releaseJob},

		{get, "/api/farm/v1/info", farm.ActView, s.getInfo},
		{post, "/api/farm/v1/files", farm.ActSubmit, s.keepFile},
		{get, "/api/farm/v1/jobs/:id/why", farm.ActView, s.whyWaiting},
		{get, "/api/farm/v1/jobs/:id/delivery", farm.ActView, s.getDelivery},
		{post, "/api/farm/v1/jobs/:id/delivery", farm.ActChangeJobs, s.redeliver},
		{get, "/api/farm/v1/webhook-key", farm.ActViewWebhookKey, s.getWebhookKey},
		{post, "/api/farm/v1/webhook-key", farm.ActRenewWebhookKey, s.renewWebhookKey},
		{get, "/api/farm/v1/jobs/:id/thumbnails", farm.ActView, s.listThumbnails},
		{get, "/api/farm/v1/jobs/:id/thumbnails/:frame.jpg", farm.ActView, s.getThumbnail},
	}
	routes = append(routes, s.peopleRoutes()...)
	routes = append(routes, s.vitalRoutes()...)
	routes = append(routes, s.farmRoutes()...)
	// Clients make the second root by stripping "/v2" from the first or by appending to it.
	for _, root := range []string{"/api/v3/templates", "/api/v2/v3/templates"} {
		routes = append(routes,
			route{get, root, farm.ActView, s.listTemplates3},
			route{get, root + "/:id", farm.ActView, wellFormed(s.getTemplate3)},
			route{get, root + "/:id/compositions", farm.ActView, wellFormed(s.listCompositions)},
			route{get, root + "/:id/layers", farm.ActView, wellFormed(s.listLayers)},
		)
	}
	return routes
}

// wellFormed refuses an id that no record can have with 400, where the public interface has that for an address.
func wellFormed(h teamHandler) teamHandler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		if id := c.Params("id"); !jobID.MatchString(id) {
			return farm.Invalid("the address names no id of the farm", farm.FieldError{Field: "id", Message: fmt.Sprintf("%.100q is no id: these are 26 digits and capital letters", id)})
		}
		return h(c, p)
	}
}

// farmRoutes are the addresses at which the machines and the order of their work are looked after. The farm's operators and
// administrators are those of its first team; coordinator holds to that.
func (s *server) farmRoutes() []route {
	const (
		get, post, put, patch, remove = fiber.MethodGet, fiber.MethodPost, fiber.MethodPut, fiber.MethodPatch, fiber.MethodDelete

		root   = "/api/farm/v1"
		agents = root + "/agents"
	)
	yes, no := true, false
	return []route{
		{get, agents, farm.ActView, s.listAgents},
		{get, agents + "/:id", farm.ActView, s.getAgent},
		{get, agents + "/:id/inventory", farm.ActView, s.getInventory},
		{patch, agents + "/:id", farm.ActRunMachines, s.changeAgent},
		{post, agents + "/:id/drain", farm.ActRunMachines, s.turnAgent(coordinator.AgentChange{Drained: &yes})},
		{post, agents + "/:id/pause", farm.ActRunMachines, s.turnAgent(coordinator.AgentChange{Paused: &yes})},
		{post, agents + "/:id/resume", farm.ActRunMachines, s.turnAgent(coordinator.AgentChange{Drained: &no, Paused: &no, Restore: true})},
		{remove, agents + "/:id", farm.ActInviteMachines, s.retireAgent},

		{get, root + "/templates/:id", farm.ActView, s.getFarmTemplate},
		{patch, root + "/templates/:id", farm.ActChangeTemplates, s.markTemplate},

		{get, root + "/jobs/:id", farm.ActView, s.getFarmJob},
		{patch, root + "/jobs/:id", farm.ActChangeJobs, s.changeJob},
		{get, root + "/jobs/:id/samples", farm.ActView, s.listSamples},
		{get, root + "/jobs/:id/samples/:frame.png", farm.ActView, s.getSample},
		{post, root + "/jobs/:id/approve", farm.ActApprove, s.approveJob},
		{post, root + "/jobs/:id/reject", farm.ActApprove, s.rejectJob},
		{get, root + "/jobs/:id/placement", farm.ActView, s.getPlacement},
		{get, root + "/queue", farm.ActView, s.listQueue},
		{get, root + "/jobs/:id/tasks", farm.ActView, s.listTasks},
		{get, root + "/jobs/:id/attempts", farm.ActView, s.listJobAttempts},
		{get, root + "/tasks/:id", farm.ActView, s.getTask},
		{get, root + "/tasks/:id/attempts", farm.ActView, s.listAttempts},

		{get, pathCluster, farm.ActManageCoordinators, s.getCluster},
		{post, pathCluster + "/transfer", farm.ActManageCoordinators, s.transferLead},
		{post, pathCluster + "/:id/transfer", farm.ActManageCoordinators, s.transferLead},
		{post, pathCluster + "/:id/remove", farm.ActManageCoordinators, s.removeNode},
		{get, pathCluster + "/invitations", farm.ActManageCoordinators, s.listNodeInvitations},
		{post, pathCluster + "/invitations", farm.ActManageCoordinators, s.makeNodeInvitation},
		{remove, pathCluster + "/invitations/:id", farm.ActManageCoordinators, s.revokeNodeInvitation},

		{get, root + "/farm", farm.ActView, s.getFarm},
		{post, root + "/backup", farm.ActBackUp, s.giveBackup},
		{post, root + "/restore", farm.ActBackUp, s.restoreFarm},
		{get, root + "/cluster/authority", farm.ActManageCoordinators, s.getAuthority},
		{get, root + "/cluster/gossip-keys", farm.ActManageCoordinators, s.listGossipKeys},
		{post, root + "/cluster/gossip-keys", farm.ActManageCoordinators, s.rotateGossipKey},
		{get, pathEvents, farm.ActView, s.watchEvents},
		{post, root + "/farm/pause", farm.ActSteerFarm, s.turnFarm(true)},
		{post, root + "/farm/resume", farm.ActSteerFarm, s.turnFarm(false)},
		{get, root + "/policy", farm.ActView, s.getPolicy},
		{put, root + "/policy", farm.ActChangePolicy, s.putPolicy},
		{patch, root + "/policy", farm.ActChangePolicy, s.patchPolicy},
		{get, root + "/levels", farm.ActView, s.getLevels},
		{patch, root + "/levels", farm.ActSteerFarm, s.patchLevels},
		{get, root + "/limits", farm.ActView, s.listLimits},
		{get, root + "/limits/:name", farm.ActView, s.getLimit},
		{put, root + "/limits/:name", farm.ActSteerFarm, s.putLimit},
		{remove, root + "/limits/:name", farm.ActSteerFarm, s.removeLimit},
	}
}

// peopleRoutes are the addresses at which teams, their tokens and their people are looked after.
func (s *server) peopleRoutes() []route {
	const (
		teams, tokens, people = "/api/farm/v1/teams", "/api/farm/v1/tokens", "/api/farm/v1/people"
	)
	routes := []route{
		{fiber.MethodGet, "/api/farm/v1/me", farm.ActView, s.getSelf},
		{fiber.MethodPost, "/api/farm/v1/sign-in-links", farm.ActView, s.makeSignIn},

		{fiber.MethodGet, teams, farm.ActView, s.listTeams},
		{fiber.MethodPost, teams, farm.ActManageTeams, s.makeTeam},
		{fiber.MethodGet, teams + "/:id", farm.ActView, s.getTeam},
		{fiber.MethodPatch, teams + "/:id", farm.ActRenameTeam, s.renameTeam},
		{fiber.MethodDelete, teams + "/:id", farm.ActManageTeams, s.endTeam},

		{fiber.MethodPost, people + "/:id/sign-in-links", farm.ActManageTokens, s.invite},

		{fiber.MethodGet, "/api/farm/v1/join-tokens", farm.ActInviteMachines, s.listJoinTokens},
		{fiber.MethodPost, "/api/farm/v1/join-tokens", farm.ActInviteMachines, s.makeJoinToken},
		{fiber.MethodDelete, "/api/farm/v1/join-tokens/:id", farm.ActInviteMachines, s.revokeJoinToken},
	}
	for _, who := range []holder{program, person} {
		root := tokens
		if who == person {
			root = people
		}
		routes = append(routes,
			route{fiber.MethodGet, root, farm.ActManageTokens, s.listTokens(who)},
			route{fiber.MethodPost, root, farm.ActManageTokens, s.makeToken(who)},
			route{fiber.MethodGet, root + "/:id", farm.ActManageTokens, s.getToken(who)},
			route{fiber.MethodPatch, root + "/:id", farm.ActManageTokens, s.changeToken(who)},
			route{fiber.MethodDelete, root + "/:id", farm.ActManageTokens, s.revokeToken(who)},
		)
	}
	return routes
}

// route adds everything that the interface answers.
func (s *server) route(app *fiber.App) {
	app.Get(openapi.PathPublic, s.giveInterface(openapi.Public))
	app.Get(openapi.PathFarm, s.giveInterface(openapi.Farm))
	app.Get(pathAlive, s.alive)
	app.Get(pathReady, s.ready)
	// What follows tells of the farm, and every coordinator has to tell the same.
	app.Use([]string{"/api", "/files", "/outputs"}, s.fresh)

	for _, r := range s.teamRoutes() {
		if r.path == pathEvents {
			app.Get(r.path, s.forReader(r.action, r.handle))
			continue
		}
		if r.method == fiber.MethodGet {
			app.Get(r.path, s.forTeam(r.action, r.handle)) // and HEAD, which Add would leave out
			continue
		}
		handle := r.handle
		if r.method == fiber.MethodPost {
			handle = s.once(handle)
		}
		if submits(r.method, r.path) {
			app.Add(r.method, r.path, s.proved(s.forTeam(r.action, handle)))
			continue
		}
		app.Add(r.method, r.path, s.forTeam(r.action, handle))
	}

	// For agents, by the certificates that their connections show; enrolling shows a join token.
	app.Post(wire.PathEnrol, s.enrol)
	app.Post(wire.PathNodeJoin, s.joinCluster)
	app.Post(wire.PathRenew, s.renew)
	app.Post(wire.PathProve, s.prove)
	app.Get(wire.PathSession, s.session)
	app.Get(wire.PathFiles+":sha256", s.forAgent(s.giveFile))
	app.Put(wire.PathOutput+":task/:attempt/:name", s.forAgent(s.takeOutput))
	app.Put(wire.PathThumbnail+":task/:attempt/:frame", s.forAgent(s.takeThumbnail))

	// Without a token: the address itself is signed, or cannot be guessed.
	app.Put("/files/templates/:id", s.takeTemplate)
	app.Get("/files/templates/:id", s.giveTemplate)
	app.Get("/outputs/:name", s.results)
}
