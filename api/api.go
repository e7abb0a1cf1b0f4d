package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/socket"
	"overcrank/api/throttle"
	"overcrank/coordinator"
	"overcrank/coordinator/state"
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
	Followers Followers
	// Strangers is how often one address may show secrets that the farm does not know; the zero value means ten times a second.
	Strangers throttle.Limit
}

// server answers the interface's requests.
type server struct {
	farm    *coordinator.Coordinator
	version string
	logger  *slog.Logger
	sockets *socket.Hub
	browser func(c *fiber.Ctx) (farm.Principal, error)
	results fiber.Handler      // gives a result
	teams   *throttle.Throttle // by team
	follow  Followers
	// strangers counts the secrets that were refused, by remote address.
	strangers *throttle.Throttle
	uploads   context.Context // of calls that take a file; it ends with stop, which other calls outlive
}

const (
	// callTimeout bounds a request that moves no file. Fiber does not tell a handler that its client has left.
	callTimeout = 30 * time.Second
	// stopTimeout bounds how long stop waits for the sockets.
	stopTimeout = 10 * time.Second
)

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
		farm: cfg.Farm, version: cfg.Version, logger: cfg.Logger,
		sockets: socket.NewHub(cfg.Logger), uploads: uploads,
		teams: cfg.Teams, follow: cfg.Followers, strangers: throttle.New(cfg.Strangers),
	}
	s.browser, s.results = cfg.Browser, s.giveOutput
	if cfg.TeamsResults {
		s.results = s.giveTeamsOutput
	}
	app.Use(func(c *fiber.Ctx) error {
		c.Context().SetUserValue(localStopping, uploads)
		if cfg.Bodies != nil {
			c.Context().SetUserValue(localMemory, cfg.Bodies)
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

// call gives the context for a request that moves no file.
func (s *server) call(c *fiber.Ctx) (context.Context, context.CancelFunc) {
	return context.WithTimeout(requestContext(c, context.Background()), callTimeout)
}

// transfer gives the context for a request that moves a file; it ends when the server stops.
func (s *server) transfer(c *fiber.Ctx) context.Context { return requestContext(c, s.uploads) }

// requestContext adds to ctx what the farm has to know of the request that c answers.
func requestContext(c *fiber.Ctx, ctx context.Context) context.Context {
	if led, ok := c.Locals(localLed).(*coordinator.Led); ok {
		ctx = coordinator.WithLed(ctx, led)
	}
	if request, ok := c.Locals(localRequest).(*state.Request); ok {
		ctx = state.WithRequest(ctx, request)
	}
	return ctx
}
