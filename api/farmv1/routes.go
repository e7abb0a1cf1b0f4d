// Package farmv1 answers the farm's own interface, /api/farm/v1: machines, the queue, tasks, people and their tokens, the policy,
// coordinators, backups and events. The command line asks here.
package farmv1

import (
	"log/slog"

	"overcrank/api/route"
	"overcrank/api/socket"
	"overcrank/api/throttle"
	"overcrank/coordinator"
	"overcrank/farm"
)

// farmServer answers what the farm's own interface describes.
type server struct {
	farm    *coordinator.Coordinator
	version string
	logger  *slog.Logger
	sockets *socket.Hub
	follow  throttle.Followers
}

// Config says what the farm's own interface serves.
type Config struct {
	Farm    *coordinator.Coordinator
	Version string
	Logger  *slog.Logger
	// Sockets carry events to those who ask for a websocket.
	Sockets *socket.Hub
	// Followers bounds how many may be told of events.
	Followers throttle.Followers
}

// Routes are the addresses of the farm's own interface. The farm's operators and administrators are those of its first team;
// coordinator holds to that.
func Routes(cfg Config) []route.Route {
	const (
		root   = "/api/farm/v1"
		agents = root + "/agents"
	)
	s := &server{farm: cfg.Farm, version: cfg.Version, logger: cfg.Logger, sockets: cfg.Sockets, follow: cfg.Followers}
	yes, no := true, false
	routes := []route.Route{
		route.Patch(root+"/secrets/:id", farm.ActChangeSecrets, s.changeSecret),
		route.Post(root+"/secret-keys", farm.ActChangeSecretKey, s.changeSecretKey),
		route.Get(root+"/batches", farm.ActView, s.listBatches),
		route.Post(root+"/jobs/release", farm.ActChangeJobs, s.releaseJobs),
		route.Post(root+"/jobs/:id/release", farm.ActChangeJobs, s.releaseJob),
		route.Get(root+"/info", farm.ActView, s.getInfo),
		route.Post(root+"/files", farm.ActSubmit, s.keepFile),
		route.Get(root+"/jobs/:id/why", farm.ActView, s.whyWaiting),
		route.Get(root+"/jobs/:id/delivery", farm.ActView, s.getDelivery),
		route.Post(root+"/jobs/:id/delivery", farm.ActChangeJobs, s.redeliver),
		route.Get(root+"/webhook-key", farm.ActViewWebhookKey, s.getWebhookKey),
		route.Post(root+"/webhook-key", farm.ActRenewWebhookKey, s.renewWebhookKey),
		route.Get(root+"/jobs/:id/thumbnails", farm.ActView, s.listThumbnails),
		route.Get(root+"/jobs/:id/thumbnails/:frame.jpg", farm.ActView, s.getThumbnail),

		route.Get(agents, farm.ActView, s.listAgents),
		route.Get(agents+"/:id", farm.ActView, s.getAgent),
		route.Get(agents+"/:id/inventory", farm.ActView, s.getInventory),
		route.Patch(agents+"/:id", farm.ActRunMachines, s.changeAgent),
		route.Post(agents+"/:id/drain", farm.ActRunMachines, s.turnAgent(coordinator.AgentChange{Drained: &yes})),
		route.Post(agents+"/:id/pause", farm.ActRunMachines, s.turnAgent(coordinator.AgentChange{Paused: &yes})),
		route.Post(agents+"/:id/resume", farm.ActRunMachines, s.turnAgent(coordinator.AgentChange{Drained: &no, Paused: &no, Restore: true})),
		route.Delete(agents+"/:id", farm.ActInviteMachines, s.retireAgent),

		route.Get(root+"/templates/:id", farm.ActView, s.getFarmTemplate),
		route.Patch(root+"/templates/:id", farm.ActChangeTemplates, s.markTemplate),

		route.Get(root+"/jobs/:id", farm.ActView, s.getFarmJob),
		route.Patch(root+"/jobs/:id", farm.ActChangeJobs, s.changeJob),
		route.Get(root+"/jobs/:id/samples", farm.ActView, s.listSamples),
		route.Get(root+"/jobs/:id/samples/:frame.png", farm.ActView, s.getSample),
		route.Post(root+"/jobs/:id/approve", farm.ActApprove, s.approveJob),
		route.Post(root+"/jobs/:id/reject", farm.ActApprove, s.rejectJob),
		route.Get(root+"/jobs/:id/placement", farm.ActView, s.getPlacement),
		route.Get(root+"/queue", farm.ActView, s.listQueue),
		route.Get(root+"/jobs/:id/tasks", farm.ActView, s.listTasks),
		route.Get(root+"/jobs/:id/attempts", farm.ActView, s.listJobAttempts),
		route.Get(root+"/tasks/:id", farm.ActView, s.getTask),
		route.Get(root+"/tasks/:id/attempts", farm.ActView, s.listAttempts),

		route.Get(PathCluster, farm.ActManageCoordinators, s.getCluster),
		route.Post(PathCluster+"/transfer", farm.ActManageCoordinators, s.transferLead),
		route.Post(PathCluster+"/:id/transfer", farm.ActManageCoordinators, s.transferLead),
		route.Post(PathCluster+"/:id/remove", farm.ActManageCoordinators, s.removeNode),
		route.Get(PathCluster+"/invitations", farm.ActManageCoordinators, s.listNodeInvitations),
		route.Post(PathCluster+"/invitations", farm.ActManageCoordinators, s.makeNodeInvitation),
		route.Delete(PathCluster+"/invitations/:id", farm.ActManageCoordinators, s.revokeNodeInvitation),

		route.Get(root+"/farm", farm.ActView, s.getFarm),
		route.Post(root+"/backup", farm.ActBackUp, s.giveBackup),
		route.Post(root+"/restore", farm.ActBackUp, s.restoreFarm),
		route.Get(root+"/cluster/authority", farm.ActManageCoordinators, s.getAuthority),
		route.Get(root+"/cluster/gossip-keys", farm.ActManageCoordinators, s.listGossipKeys),
		route.Post(root+"/cluster/gossip-keys", farm.ActManageCoordinators, s.rotateGossipKey),
		route.Get(PathEvents, farm.ActView, s.watchEvents),
		route.Post(root+"/farm/pause", farm.ActSteerFarm, s.turnFarm(true)),
		route.Post(root+"/farm/resume", farm.ActSteerFarm, s.turnFarm(false)),
		route.Get(root+"/policy", farm.ActView, s.getPolicy),
		route.Put(root+"/policy", farm.ActChangePolicy, s.putPolicy),
		route.Patch(root+"/policy", farm.ActChangePolicy, s.patchPolicy),
		route.Get(root+"/levels", farm.ActView, s.getLevels),
		route.Patch(root+"/levels", farm.ActSteerFarm, s.patchLevels),
		route.Get(root+"/limits", farm.ActView, s.listLimits),
		route.Get(root+"/limits/:name", farm.ActView, s.getLimit),
		route.Put(root+"/limits/:name", farm.ActSteerFarm, s.putLimit),
		route.Delete(root+"/limits/:name", farm.ActSteerFarm, s.removeLimit),
	}
	return append(routes, s.peopleRoutes()...)
}

// peopleRoutes are the addresses at which teams, their tokens and their people are looked after.
func (s *server) peopleRoutes() []route.Route {
	const (
		teams, tokens, people = "/api/farm/v1/teams", "/api/farm/v1/tokens", "/api/farm/v1/people"
	)
	routes := []route.Route{
		route.Get("/api/farm/v1/me", farm.ActView, s.getSelf),
		route.Post("/api/farm/v1/sign-in-links", farm.ActView, s.makeSignIn),

		route.Get(teams, farm.ActView, s.listTeams),
		route.Post(teams, farm.ActManageTeams, s.makeTeam),
		route.Get(teams+"/:id", farm.ActView, s.getTeam),
		route.Patch(teams+"/:id", farm.ActRenameTeam, s.renameTeam),
		route.Delete(teams+"/:id", farm.ActManageTeams, s.endTeam),

		route.Post(people+"/:id/sign-in-links", farm.ActManageTokens, s.invite),

		route.Get("/api/farm/v1/join-tokens", farm.ActInviteMachines, s.listJoinTokens),
		route.Post("/api/farm/v1/join-tokens", farm.ActInviteMachines, s.makeJoinToken),
		route.Delete("/api/farm/v1/join-tokens/:id", farm.ActInviteMachines, s.revokeJoinToken),
	}
	for _, who := range []holder{program, person} {
		root := tokens
		if who == person {
			root = people
		}
		routes = append(routes,
			route.Get(root, farm.ActManageTokens, s.listTokens(who)),
			route.Post(root, farm.ActManageTokens, s.makeToken(who)),
			route.Get(root+"/:id", farm.ActManageTokens, s.getToken(who)),
			route.Patch(root+"/:id", farm.ActManageTokens, s.changeToken(who)),
			route.Delete(root+"/:id", farm.ActManageTokens, s.revokeToken(who)),
		)
	}
	return routes
}
