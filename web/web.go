// Package web is the dashboard: pages rendered on the server, live parts pushed over a websocket, sessions.
package web

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/api"
	"overcrank/api/socket"
	"overcrank/api/throttle"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/web/page"
)

//go:embed static
var staticFiles embed.FS

// Config says what the dashboard shows.
type Config struct {
	Farm    *coordinator.Coordinator
	Version string
	Logger  *slog.Logger
	// Teams and Followers are those of the interface, which the dashboard counts into; see api.Config.
	Teams     *throttle.Throttle
	Followers api.Followers
}

// server answers the dashboard's requests.
type server struct {
	farm     *coordinator.Coordinator
	version  string
	logger   *slog.Logger
	sockets  *socket.Hub
	sessions sessions
	// strangers counts the wrong tokens given to the sign-in page, by remote address.
	strangers *throttle.Throttle
	teams     *throttle.Throttle // by team
	follow    api.Followers
	base      context.Context // of every call to the coordinator
}

const (
	// callTimeout bounds a request that moves no file.
	callTimeout = 30 * time.Second
	stopTimeout = 5 * time.Second
)

// Mount adds the dashboard's routes to app. Stop ends its open sockets; call it before app.Shutdown.
func Mount(app *fiber.App, cfg Config) (stop func()) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	base, cancel := context.WithCancel(context.Background())
	s := &server{
		farm: cfg.Farm, version: cfg.Version, logger: cfg.Logger, sockets: socket.NewHub(cfg.Logger),
		sessions: sessionsOf(cfg.Farm), strangers: throttle.New(throttle.Limit{PerSecond: 1, Burst: 50}), base: base,
		teams: cfg.Teams, follow: cfg.Followers,
	}
	s.route(app)
	return func() {
		ctx, done := context.WithTimeout(context.Background(), stopTimeout)
		defer done()
		cancel()
		if err := s.sockets.Close(ctx); err != nil {
			cfg.Logger.Warn("some pages did not let go of their live updates in time", "error", err)
		}
	}
}

func (s *server) route(app *fiber.App) {
	app.Get("/static/:name", s.static)
	app.Get("/api/reference", s.page(s.reference))
	app.Get("/sign-in", s.page(s.signInPage))
	app.Get("/sign-in/:code", s.page(s.signInByLink))
	app.Post("/sign-in", s.page(s.signIn))

	app.Post("/sign-out", s.member(s.signOut))
	app.Post("/theme", s.member(s.theme))
	app.Get("/live", s.live)
	app.Get("/", s.member(s.home))
	app.Get("/jobs", s.member(s.jobs))
	app.Get("/jobs/:id", s.member(s.job))
	app.Get("/jobs/:id/log", s.member(s.jobLog))
	app.Get("/jobs/:id/poster", s.member(s.jobPoster))
	app.Get("/jobs/:id/thumbnails/:name", s.member(s.thumbnail))
	app.Post("/jobs/:id/cancel", s.member(s.cancelJob))
	app.Post("/jobs/:id/release", s.member(s.releaseJob))
	app.Post("/jobs/:id/call-again", s.member(s.callAgain))
	app.Get("/batches", s.member(s.batches))
	app.Get("/batches/:id", s.member(s.batch))
	app.Get("/batches/:id/results.zip", s.member(s.batchResults))
	app.Post("/batches/:id/cancel", s.member(s.cancelBatch))
	app.Post("/batches/:id/again", s.member(s.orderBatchAgain))
	app.Get("/templates", s.member(s.templates))
	app.Post("/templates", s.member(s.createTemplate))
	app.Get("/templates/:id", s.member(s.template))
	app.Get("/templates/:id/poster", s.member(s.templatePoster))
	app.Get("/templates/:id/file", s.member(s.templateFile))
	app.Post("/templates/:id/mark", s.member(s.markTemplate))
	app.Post("/templates/:id/delete", s.member(s.deleteTemplate))
	app.Get("/new", s.member(s.newJobPage))
	app.Post("/new", s.member(s.newJob))
	app.Get("/new/table", s.member(s.tablePage))
	app.Get("/new/table.csv", s.member(s.tableTemplate))
	app.Get("/files/table", s.member(s.tableAgain))
	app.Post("/files/table", s.member(s.takeTable)) // below /files/, where bodies are streamed
	app.Post("/files/handover", s.member(s.handOver))
	s.routeQueue(app)
	s.routeMachines(app)
	s.routeSettings(app)
	app.Use(s.unknown)
}

// routeQueue adds what is about the order of work.
func (s *server) routeQueue(app *fiber.App) {
	app.Get("/jobs/:id/tasks", s.member(s.tasks))
	app.Get("/jobs/:id/samples/:name", s.member(s.sample))
	app.Post("/jobs/:id/order", s.member(s.changeOrder))
	app.Post("/jobs/:id/approve", s.member(s.approveJob))
	app.Post("/jobs/:id/reject", s.member(s.rejectJob))
	app.Get("/queue", s.member(s.queue))
	app.Post("/queue/pause", s.member(s.turnFarm(true)))
	app.Post("/queue/resume", s.member(s.turnFarm(false)))
	app.Post("/queue/levels/:level/pause", s.member(s.turnLevel(true)))
	app.Post("/queue/levels/:level/resume", s.member(s.turnLevel(false)))
}

func (s *server) routeMachines(app *fiber.App) {
	yes, no := true, false
	app.Get("/machines", s.member(s.machines))
	app.Get("/machines/invite", s.member(s.invitations))
	app.Post("/machines/invite", s.member(s.inviteMachine))
	app.Post("/machines/invite/:id/revoke", s.member(s.revokeInvitation))
	app.Get("/machines/:id", s.member(s.machine))
	app.Post("/machines/:id/drain", s.member(s.turnMachine(coordinator.AgentChange{Drained: &yes})))
	app.Post("/machines/:id/pause", s.member(s.turnMachine(coordinator.AgentChange{Paused: &yes})))
	app.Post("/machines/:id/resume", s.member(s.turnMachine(coordinator.AgentChange{Drained: &no, Paused: &no, Restore: true})))
	app.Post("/machines/:id/change", s.member(s.changeMachine))
	app.Post("/machines/:id/retire", s.member(s.retireMachine))
}

func (s *server) routeSettings(app *fiber.App) {
	app.Get("/settings", s.member(s.settings))
	for _, root := range []string{"/settings/api-tokens", "/settings/people"} {
		app.Get(root, s.member(s.tokens))
		app.Post(root, s.member(s.makeToken))
		app.Post(root+"/:id/revoke", s.member(s.revokeToken))
	}
	app.Post("/settings/people/:id/link", s.member(s.invite))
	app.Get("/settings/sharing", s.member(s.sharing))
	app.Post("/settings/sharing", s.member(s.share))
	app.Get("/settings/fonts", s.member(s.fonts))
	app.Post("/files/font", s.member(s.addFont))
	app.Post("/settings/fonts/:id/delete", s.member(s.deleteFont))
	app.Get("/settings/secrets", s.member(s.secrets))
	app.Post("/settings/secrets", s.member(s.addSecret))
	app.Post("/settings/secrets/:id/delete", s.member(s.deleteSecret))
	app.Get("/settings/coordinators", s.member(s.coordinators))
	app.Get("/settings/webhooks", s.member(s.webhooks))
	app.Post("/settings/webhooks", s.member(s.renewWebhookKey))
}

// unknown answers people who ask for a page that does not exist; what programs ask for is answered by the interface.
func (s *server) unknown(c *fiber.Ctx) error {
	if c.Method() != fiber.MethodGet || !strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML) {
		return c.Next()
	}
	return s.member(func(*fiber.Ctx, farm.Principal) error {
		return farm.Errorf(farm.CodeNotFound, "nothing is at this address; it may have been mistyped or removed")
	})(c)
}

// page makes a handler whose errors become pages.
func (s *server) page(h func(c *fiber.Ctx) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentSecurityPolicy, s.policy())
		// With "no-referrer" browsers would hide the origin of a form as well, which sameOrigin needs.
		c.Set(fiber.HeaderReferrerPolicy, "same-origin")
		c.Set(fiber.HeaderCacheControl, "no-store")
		if c.Method() == fiber.MethodPost && !sameOrigin(c) {
			return s.problem(c, farm.Principal{}, farm.Errorf(farm.CodeForbidden, "this form came from another site; open the dashboard and try again"))
		}
		if err := h(c); err != nil {
			return s.problem(c, farm.Principal{}, err)
		}
		return nil
	}
}

// member makes a handler for people who are signed in; others are led to the sign-in page.
func (s *server) member(h func(c *fiber.Ctx, p farm.Principal) error) fiber.Handler {
	return s.page(func(c *fiber.Ctx) error {
		p, err := s.reader(c)
		if farm.CodeOf(err) == farm.CodeUnauthorized {
			if c.Method() != fiber.MethodGet || wantsJSON(c) {
				return s.problem(c, p, farm.Errorf(farm.CodeUnauthorized, "sign in again: the session has ended"))
			}
			return c.Redirect("/sign-in", fiber.StatusSeeOther)
		}
		if err != nil {
			return err
		}
		if err = s.awaitTurn(c, p); err == nil {
			err = h(c, p)
		}
		if err != nil {
			return s.problem(c, p, err)
		}
		return nil
	})
}

// needs is nil when the reader's role allows as much as the given one.
func needs(p farm.Principal, role farm.Role) error {
	if p.Role.Allows(role) {
		return nil
	}
	return farm.Errorf(farm.CodeForbidden, "your token's role is %s; this takes %s or more", p.Role, role)
}

// problem answers with an error: as JSON to the page's script, as a page to people.
func (s *server) problem(c *fiber.Ctx, p farm.Principal, err error) error {
	status := api.StatusOf(err)
	message := err.Error()
	if status == fiber.StatusInternalServerError {
		s.logger.Error("a page could not be shown", "path", c.Path(), "error", err)
		message = "The farm could not do this; its log says why."
	}
	c.Status(status)
	forScript := bytes.HasPrefix(c.Request().URI().Path(), []byte("/files/")) && !strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML)
	if wantsJSON(c) || forScript {
		return c.JSON(fiber.Map{"error": message})
	}
	heading := "That did not work"
	switch status {
	case fiber.StatusNotFound:
		heading = "There is no such page"
	case fiber.StatusForbidden:
		heading = "This is not open to you"
	}
	if p.TokenID == "" {
		return s.render(c, page.SignIn(page.Shell{Title: heading, Theme: themeOf(c), Version: s.version}, message))
	}
	return s.render(c, page.Problem(s.shell(c, p, heading, ""), heading, message))
}

func wantsJSON(c *fiber.Ctx) bool { return c.Get(fiber.HeaderAccept) == fiber.MIMEApplicationJSON }

// shell is what surrounds a page's content.
func (s *server) shell(c *fiber.Ctx, p farm.Principal, title, active string) page.Shell {
	ctx, cancel := s.call()
	defer cancel()
	shell := page.Shell{
		Title: title, Active: active, Theme: themeOf(c), Who: p.Name, Role: p.Role, Version: s.version,
		Operates: p.FarmOperator, Administers: p.FarmAdmin,
	}
	shell.Pulse, shell.Pause = s.pulse(ctx, p)
	return shell
}

// pulse is how the farm is: in three numbers, and whether it is paused. Without a leader it is what this coordinator's state has.
func (s *server) pulse(ctx context.Context, p farm.Principal) (page.Pulse, page.Pause) {
	status, err := s.farm.Pulse(ctx, p)
	return page.Pulse{
		Rendering: status.Jobs[farm.JobRendering], Waiting: status.Jobs[farm.JobQueued] + status.Jobs[farm.JobPending], Machines: online(status), Leaderless: err != nil,
	}, page.Pause{On: status.Paused, At: status.PausedAt, By: status.PausedBy}
}

// online is how many machines are connected.
func online(status farm.Status) (n int) {
	for state, machines := range status.Machines {
		if state != farm.MachineOffline {
			n += machines
		}
	}
	return n
}

// call gives the context for a request that moves no file.
func (s *server) call() (context.Context, context.CancelFunc) {
	return context.WithTimeout(s.base, callTimeout)
}

// render answers with a page.
func (s *server) render(c *fiber.Ctx, content templ.Component) error {
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return content.Render(s.base, c.Response().BodyWriter())
}

// static serves a file of the dashboard itself; its address changes with the version, so browsers may keep it.
func (s *server) static(c *fiber.Ctx) error {
	name := c.Params("name")
	body, err := staticFiles.ReadFile("static/" + name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return fiber.ErrNotFound
	}
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	if s.version == "dev" {
		c.Set(fiber.HeaderCacheControl, "no-cache")
	}
	c.Type(extension(name), "utf-8")
	return c.Send(body)
}

func extension(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i+1:]
		}
	}
	return "bin"
}
