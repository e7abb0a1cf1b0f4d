// Package agents answers machines: it enrols agents, carries their sessions, gives them files and takes their results, and hands the
// farm's keys to coordinators that join.
package agents

import (
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/socket"
	"overcrank/api/throttle"
	"overcrank/coordinator"
	"overcrank/farm/wire"
)

// agentServer answers machines: agents, and coordinators that join.
type server struct {
	farm      *coordinator.Coordinator
	logger    *slog.Logger
	sockets   *socket.Hub
	strangers throttle.Strangers
}

// Config says what answers machines.
type Config struct {
	Farm   *coordinator.Coordinator
	Logger *slog.Logger
	// Sockets carry the sessions of agents.
	Sockets *socket.Hub
	// Strangers counts secrets and certificates that the farm does not know.
	Strangers throttle.Strangers
}

// Mount adds the addresses for agents, by the certificates that their connections show; who enrols or joins shows a token.
func Mount(app *fiber.App, cfg Config) {
	s := &server{farm: cfg.Farm, logger: cfg.Logger, sockets: cfg.Sockets, strangers: cfg.Strangers}
	app.Post(wire.PathEnrol, s.enrol)
	app.Post(wire.PathNodeJoin, s.joinCluster)
	app.Post(wire.PathRenew, s.renew)
	app.Post(wire.PathProve, s.prove)
	app.Get(wire.PathSession, s.session)
	app.Get(wire.PathFiles+":sha256", s.forAgent(s.giveFile))
	app.Put(wire.PathOutput+":task/:attempt/:name", s.forAgent(s.takeOutput))
	app.Put(wire.PathThumbnail+":task/:attempt/:frame", s.forAgent(s.takeThumbnail))
}
