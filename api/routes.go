package api

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/openapi"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// route is one address of the interface and the least role that may use it.
type route struct {
	method string
	path   string
	role   farm.Role
	handle teamHandler
}

// teamRoutes are the addresses for members of a team, by bearer token.
func (s *server) teamRoutes() []route {
	const (
		get, post, put, patch, remove = fiber.MethodGet, fiber.MethodPost, fiber.MethodPut, fiber.MethodPatch, fiber.MethodDelete
		viewer, artist, producer      = farm.RoleViewer, farm.RoleArtist, farm.RoleProducer
	)
	routes := []route{
		{post, "/api/v2/templates", artist, s.createTemplate},
		{get, "/api/v2/templates", viewer, s.listTemplates},
		{get, "/api/v2/templates/:id", viewer, s.getTemplate},
		{patch, "/api/v2/templates/:id", artist, s.renameTemplate},
		{remove, "/api/v2/templates/:id", producer, s.deleteTemplate},
		{get, "/api/v2/templates/:id/download", viewer, s.downloadTemplate},
		{get, "/api/v2/templates/:id/upload", viewer, s.downloadTemplate},
		{put, "/api/v2/templates/:id/upload", artist, s.renewUpload},

		{post, pathJobs, artist, s.createJob},
		{get, pathJobs, viewer, s.listJobs},
		{post, "/api/v2/jobs/join", artist, s.joinJobs},
		{post, "/api/v2/jobs/cancel", artist, s.cancelJobs},
		{get, "/api/v2/jobs/:id", viewer, s.getJob},
		{get, "/api/v2/jobs/:id/logs", viewer, s.getJobLog},
		{patch, "/api/v2/jobs/:id/cancel", artist, s.cancelJob},

		{post, "/api/v2/fonts", artist, s.addFont},
		{get, "/api/v2/fonts", viewer, s.listFonts},
		{get, "/api/v2/fonts/:id", viewer, s.getFont},
		{remove, "/api/v2/fonts/:id", producer, s.deleteFont},
		{get, "/api/v2/secrets", artist, s.listSecrets},
		{put, "/api/v2/secrets", producer, s.putSecret},
		{remove, "/api/v2/secrets/:id", producer, s.deleteSecret},
		{post, "/api/farm/v1/secret-keys", farm.RoleAdmin, s.changeSecretKey},
		{post, pathBatches, artist, s.createBatch},
		{get, "/api/v2/batches/:id", viewer, s.getBatch},
		{post, "/api/v2/batches/:id/cancel", artist, s.cancelBatch},
		{get, "/api/farm/v1/batches", viewer, s.listBatches},
		{post, "/api/farm/v1/jobs/release", artist, s.releaseJobs},
		{post, "/api/farm/v1/jobs/:id/release", artist, s.releaseJob},

		{get, "/api/farm/v1/info", viewer, s.getInfo},
		{post, "/api/farm/v1/files", artist, s.keepFile},
		{get, "/api/farm/v1/jobs/:id/why", viewer, s.whyWaiting},
		{get, "/api/farm/v1/jobs/:id/delivery", viewer, s.getDelivery},
		{post, "/api/farm/v1/jobs/:id/delivery", artist, s.redeliver},
		{get, "/api/farm/v1/webhook-key", producer, s.getWebhookKey},
		{post, "/api/farm/v1/webhook-key", farm.RoleAdmin, s.renewWebhookKey},
		{get, "/api/farm/v1/jobs/:id/thumbnails", viewer, s.listThumbnails},
		{get, "/api/farm/v1/jobs/:id/thumbnails/:frame.jpg", viewer, s.getThumbnail},
	}
	routes = append(routes, s.peopleRoutes()...)
	routes = append(routes, s.vitalRoutes()...)
	routes = append(routes, s.farmRoutes()...)
	// Clients make the second root by stripping "/v2" from the first or by appending to it.
	for _, root := range []string{"/api/v3/templates", "/api/v2/v3/templates"} {
		routes = append(routes,
			route{get, root, viewer, s.listTemplates3},
			route{get, root + "/:id", viewer, s.getTemplate3},
			route{get, root + "/:id/compositions", viewer, s.listCompositions},
			route{get, root + "/:id/layers", viewer, s.listLayers},
		)
	}
	return routes
}

// farmRoutes are the addresses at which the machines and the order of their work are looked after. The farm's operators and
// administrators are those of its first team; coordinator holds to that.
func (s *server) farmRoutes() []route {
	const (
		get, post, put, patch, remove = fiber.MethodGet, fiber.MethodPost, fiber.MethodPut, fiber.MethodPatch, fiber.MethodDelete

		viewer, artist, operator, admin = farm.RoleViewer, farm.RoleArtist, farm.RoleOperator, farm.RoleAdmin

		root   = "/api/farm/v1"
		agents = root + "/agents"
	)
	yes, no := true, false
	return []route{
		{get, agents, viewer, s.listAgents},
		{get, agents + "/:id", viewer, s.getAgent},
		{get, agents + "/:id/inventory", viewer, s.getInventory},
		{patch, agents + "/:id", operator, s.changeAgent},
		{post, agents + "/:id/drain", operator, s.turnAgent(coordinator.AgentChange{Drained: &yes})},
		{post, agents + "/:id/pause", operator, s.turnAgent(coordinator.AgentChange{Paused: &yes})},
		{post, agents + "/:id/resume", operator, s.turnAgent(coordinator.AgentChange{Drained: &no, Paused: &no, Restore: true})},
		{remove, agents + "/:id", admin, s.retireAgent},

		{get, root + "/templates/:id", viewer, s.getFarmTemplate},
		{patch, root + "/templates/:id", artist, s.markTemplate},

		{get, root + "/jobs/:id", viewer, s.getFarmJob},
		{patch, root + "/jobs/:id", artist, s.changeJob},
		{get, root + "/jobs/:id/samples", viewer, s.listSamples},
		{get, root + "/jobs/:id/samples/:frame.png", viewer, s.getSample},
		{post, root + "/jobs/:id/approve", artist, s.approveJob},
		{post, root + "/jobs/:id/reject", artist, s.rejectJob},
		{get, root + "/jobs/:id/placement", viewer, s.getPlacement},
		{get, root + "/queue", viewer, s.listQueue},
		{get, root + "/jobs/:id/tasks", viewer, s.listTasks},
		{get, root + "/jobs/:id/attempts", viewer, s.listJobAttempts},
		{get, root + "/tasks/:id", viewer, s.getTask},
		{get, root + "/tasks/:id/attempts", viewer, s.listAttempts},

		{get, pathCluster, admin, s.getCluster},
		{post, pathCluster + "/transfer", admin, s.transferLead},
		{post, pathCluster + "/:id/transfer", admin, s.transferLead},
		{post, pathCluster + "/:id/remove", admin, s.removeNode},
		{get, pathCluster + "/invitations", admin, s.listNodeInvitations},
		{post, pathCluster + "/invitations", admin, s.makeNodeInvitation},
		{remove, pathCluster + "/invitations/:id", admin, s.revokeNodeInvitation},

		{get, root + "/farm", viewer, s.getFarm},
		{post, root + "/backup", admin, s.giveBackup},
		{post, root + "/restore", admin, s.restoreFarm},
		{get, root + "/cluster/authority", admin, s.getAuthority},
		{get, root + "/cluster/gossip-keys", admin, s.listGossipKeys},
		{post, root + "/cluster/gossip-keys", admin, s.rotateGossipKey},
		{get, pathEvents, viewer, s.watchEvents},
		{post, root + "/farm/pause", operator, s.turnFarm(true)},
		{post, root + "/farm/resume", operator, s.turnFarm(false)},
		{get, root + "/policy", viewer, s.getPolicy},
		{put, root + "/policy", admin, s.putPolicy},
		{patch, root + "/policy", admin, s.patchPolicy},
		{get, root + "/levels", viewer, s.getLevels},
		{patch, root + "/levels", operator, s.patchLevels},
		{get, root + "/limits", viewer, s.listLimits},
		{get, root + "/limits/:name", viewer, s.getLimit},
		{put, root + "/limits/:name", operator, s.putLimit},
		{remove, root + "/limits/:name", operator, s.removeLimit},
	}
}

// peopleRoutes are the addresses at which teams, their tokens and their people are looked after.
func (s *server) peopleRoutes() []route {
	const (
		viewer, admin = farm.RoleViewer, farm.RoleAdmin

		teams, tokens, people = "/api/farm/v1/teams", "/api/farm/v1/tokens", "/api/farm/v1/people"
	)
	routes := []route{
		{fiber.MethodGet, "/api/farm/v1/me", viewer, s.getSelf},
		{fiber.MethodPost, "/api/farm/v1/sign-in-links", viewer, s.makeSignIn},

		{fiber.MethodGet, teams, viewer, s.listTeams},
		{fiber.MethodPost, teams, admin, s.makeTeam},
		{fiber.MethodGet, teams + "/:id", viewer, s.getTeam},
		{fiber.MethodPatch, teams + "/:id", admin, s.renameTeam},
		{fiber.MethodDelete, teams + "/:id", admin, s.endTeam},

		{fiber.MethodPost, people + "/:id/sign-in-links", admin, s.invite},

		{fiber.MethodGet, "/api/farm/v1/join-tokens", admin, s.listJoinTokens},
		{fiber.MethodPost, "/api/farm/v1/join-tokens", admin, s.makeJoinToken},
		{fiber.MethodDelete, "/api/farm/v1/join-tokens/:id", admin, s.revokeJoinToken},
	}
	for _, who := range []holder{program, person} {
		root := tokens
		if who == person {
			root = people
		}
		routes = append(routes,
			route{fiber.MethodGet, root, admin, s.listTokens(who)},
			route{fiber.MethodPost, root, admin, s.makeToken(who)},
			route{fiber.MethodGet, root + "/:id", admin, s.getToken(who)},
			route{fiber.MethodPatch, root + "/:id", admin, s.changeToken(who)},
			route{fiber.MethodDelete, root + "/:id", admin, s.revokeToken(who)},
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
			app.Get(r.path, s.forReader(r.role, r.handle))
			continue
		}
		if r.method == fiber.MethodGet {
			app.Get(r.path, s.forTeam(r.role, r.handle)) // and HEAD, which Add would leave out
			continue
		}
		handle := r.handle
		if r.method == fiber.MethodPost {
			handle = s.once(handle)
		}
		if submits(r.method, r.path) {
			app.Add(r.method, r.path, s.proved(s.forTeam(r.role, handle)))
			continue
		}
		app.Add(r.method, r.path, s.forTeam(r.role, handle))
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
