// Package agents answers machines: it enrols agents, carries their sessions, gives them files and takes their results, and hands the
// farm's keys to coordinators that join.
package agents

import (
	"context"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/socket"
	"overcrank/api/throttle"
	"overcrank/coordinator/cluster"
	"overcrank/coordinator/dispatch"
	"overcrank/coordinator/enrolment"
	"overcrank/coordinator/files"
	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// Farm is what machines speak with.
type Farm struct {
	Machines *enrolment.Registry
	Sessions Sessions
	Files    Files
	Results  *results.Results
	Cluster  *cluster.Cluster
}

// Sessions carries the sessions of agents, takes the frame that they show at first, and lets them leave the farm.
type Sessions interface {
	ServeAgent(ctx context.Context, a farm.Agent, conn dispatch.AgentConn) error
	TurnAway(conn dispatch.AgentConn) error
	ReceiveFirstFrame(ctx context.Context, a farm.Agent, picture []byte) error
	Leave(ctx context.Context, a farm.Agent) error
}

// Files are the files that leases name.
type Files interface {
	OpenFileFor(ctx context.Context, a farm.Agent, sha256 string) (*files.File, error)
}

// Config says how machines are answered.
type Config struct {
	Logger *slog.Logger
	// Sockets carry the sessions of agents.
	Sockets *socket.Hub
	// Strangers counts secrets and certificates that the farm does not know.
	Strangers throttle.Strangers
}

// server answers machines: agents, and coordinators that join.
type server struct {
	machines  *enrolment.Registry
	sessions  Sessions
	files     Files
	results   *results.Results
	cluster   *cluster.Cluster
	logger    *slog.Logger
	sockets   *socket.Hub
	strangers throttle.Strangers
	frames    *throttle.Throttle // by machine
}

// A machine shows its first frame once it was installed, and again when that is done anew.
const (
	firstFrames       = 1. / 60 // a second
	firstFramesAtOnce = 5
)

// Mount adds the addresses for agents, by the certificates that their connections show; who enrols or joins shows a token.
func Mount(app *fiber.App, f Farm, cfg Config) {
	s := &server{
		machines: f.Machines, sessions: f.Sessions, files: f.Files, results: f.Results, cluster: f.Cluster,
		logger: cfg.Logger, sockets: cfg.Sockets, strangers: cfg.Strangers,
		frames: throttle.New(throttle.Limit{PerSecond: firstFrames, Burst: firstFramesAtOnce}),
	}
	app.Post(wire.PathEnrol, s.enrol)
	app.Post(wire.PathNodeJoin, s.joinCluster)
	app.Post(wire.PathRenew, s.renew)
	app.Post(wire.PathProve, s.prove)
	app.Post(wire.PathLeave, s.forAgent(s.leave))
	app.Put(wire.PathFrame, s.forAgent(s.takeFirstFrame))
	app.Get(wire.PathSession, s.session)
	app.Get(wire.PathFiles+":sha256", s.forAgent(s.giveFile))
	app.Put(wire.PathOutput+":task/:attempt/:name", s.forAgent(s.takeOutput))
	app.Put(wire.PathThumbnail+":task/:attempt/:frame", s.forAgent(s.takeThumbnail))
	app.Put(wire.PathTimes+":task/:attempt", s.forAgent(s.takeFrameTimes))
	app.Put(wire.PathProxy+":task/:attempt", s.forAgent(s.takeProxy))
}
