package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
	"overcrank/api/socket"
	"overcrank/api/throttle"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/inbound"
)

// Config says what the interface serves.
type Config struct {
	Farm    *coordinator.Coordinator
	Version string
	Logger  *slog.Logger
	// TeamsResults asks for a token of the job's team, or a browser in which one of the team is signed in, before a result is
	// given. Otherwise whoever knows its address may have it.
	TeamsResults bool
	// RequireTLS refuses plain HTTP, except from this machine.
	RequireTLS bool
	// Bodies counts the bytes of requests that are in memory, by where they come from; nil for a count of NewApp's own.
	Bodies *inbound.Gate
	// Browser finds who is signed in, in the browser that asks; nil when there is no dashboard.
	Browser func(c *fiber.Ctx) (farm.Principal, error)
	// Teams holds each team to how often it may ask; nil sets no limit.
	Teams *throttle.Throttle
	// Followers bounds how much is followed live; the zero value sets no bound.
	Followers throttle.Followers
	// Strangers is how often one address may show secrets that the farm does not know; the zero value means ten times a second.
	Strangers throttle.Limit
}

// server answers the interface's requests.
type server struct {
	farm    parts
	version string
	logger  *slog.Logger
	sockets *socket.Hub
	browser func(c *fiber.Ctx) (farm.Principal, error)
	// teamsResults gives results to their job's team only.
	teamsResults bool
	teams        *throttle.Throttle // by team
	follow       throttle.Followers
	// strangers counts the secrets that were refused, by remote address.
	strangers throttle.Strangers
}

// stopTimeout bounds how long stop waits for the sockets.
const stopTimeout = 10 * time.Second

// Mount adds the interface's routes to app. Stop ends the open sockets and the uploads under way; call it before
// app.Shutdown, which waits for all other requests.
func Mount(app *fiber.App, cfg Config) (stop func()) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Strangers.PerSecond == 0 {
		cfg.Strangers = throttle.Limit{PerSecond: 10, Burst: 10}
	}
	uploads, cancel := context.WithCancel(context.Background())
	s := &server{
		farm: partsOf(cfg.Farm), version: cfg.Version, logger: cfg.Logger,
		sockets: socket.NewHub(cfg.Logger), browser: cfg.Browser,
		teams: cfg.Teams, follow: cfg.Followers, strangers: throttle.NewStrangers(cfg.Strangers), teamsResults: cfg.TeamsResults,
	}
	app.Use(func(c *fiber.Ctx) error {
		c.Context().SetUserValue(request.LocalStopping, uploads)
		if cfg.Bodies != nil {
			c.Context().SetUserValue(request.LocalMemory, cfg.Bodies)
		}
		return c.Next()
	})
	times := requestTimes()
	if err := cfg.Farm.Metrics().Register(times); err != nil {
		cfg.Logger.Warn("requests are not measured", "error", err)
	}
	app.Use(measure(times))
	if cfg.RequireTLS {
		app.Use(tlsOnly)
	}
	s.route(app)
	return func() {
		ctx, done := context.WithTimeout(context.Background(), stopTimeout)
		defer done()
		if err := s.sockets.Close(ctx); err != nil {
			cfg.Logger.Warn("some agent sessions did not end in time", "error", err)
		}
		cancel()
	}
}
