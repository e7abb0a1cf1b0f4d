// Package web is the dashboard: pages rendered on the server, live parts pushed over a websocket, sessions.
package web

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/openapi"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/api/socket"
	"overcrank/api/throttle"
	"overcrank/coordinator"
	"overcrank/coordinator/singlesignon"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/panel"
	"overcrank/web/language"
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
	Followers throttle.Followers
	// Demo is what a new farm renders first; without Write it renders nothing.
	Demo Demo
}

// server answers the dashboard's requests.
type server struct {
	farm     parts
	version  string
	demo     Demo
	logger   *slog.Logger
	sockets  *socket.Hub
	drawings drawings // of live parts
	sessions sessions
	// strangers counts the wrong secrets given to the sign-in page, by remote address.
	strangers *throttle.Throttle
	teams     *throttle.Throttle // by team
	workbooks *workbookTurns
	smaller   compression
	small     smallPictures
	follow    throttle.Followers
	base      context.Context // of every call to the coordinator
	// described is the interface, for the page that shows it; it is read when somebody asks first.
	described func() (openapi.Reference, error)
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
		farm: partsOf(cfg.Farm), version: cfg.Version, demo: cfg.Demo, logger: cfg.Logger, sockets: socket.NewHub(cfg.Logger),
		sessions: sessionsOf(cfg.Farm), strangers: throttle.New(throttle.Limit{PerSecond: 1, Burst: 50}), base: base,
		teams: cfg.Teams, follow: cfg.Followers, workbooks: newWorkbookTurns(), small: newSmallPictures(),
	}
	s.described = sync.OnceValues(func() (openapi.Reference, error) { return readReference(cfg.Farm.PublicAddress()) })
	s.mount(app)
	return func() {
		ctx, done := context.WithTimeout(context.Background(), stopTimeout)
		defer done()
		cancel()
		if err := s.sockets.Close(ctx); err != nil {
			cfg.Logger.Warn("some pages did not let go of their live updates in time", "error", err)
		}
	}
}

// mount adds the pages, and what their forms ask for.
func (s *server) mount(app *fiber.App) {
	app.Get("/static/words/:language", s.words)
	app.Get("/static/:name", s.static)
	app.Get("/panel/"+panel.Name, s.panel)
	app.Get("/api/reference", s.page(s.reference))
	app.Post("/passkey/challenge", s.page(s.passkeyChallenge))
	app.Post("/passkey/sign-in", s.page(s.signInByPasskey))
	app.Get("/sign-in", s.page(s.signInPage))
	app.Get("/sign-in/:code", s.page(s.lookAtLink))
	app.Post("/sign-in/:code", s.framed(s.signInByLink))
	app.Post("/sign-in", s.page(s.signIn))
	app.Get(signOnPath, s.page(s.beginSignOn))
	app.Get(singlesignon.CallbackPath, s.page(s.finishSignOn))
	app.Get("/setup/:code", s.page(s.lookAtSetup))
	app.Post("/setup/:code", s.page(s.setUp))
	s.mountReviews(app)
	app.Get("/live", s.live)
	for _, r := range s.routes() {
		h := s.member(r.Action, r.Handle)
		if r.Method == fiber.MethodGet {
			app.Get(r.Path, h) // and HEAD, which Add would leave out
			continue
		}
		app.Add(r.Method, r.Path, h)
	}
	app.Use(s.unknown)
}

// routes are the pages for people who are signed in.
func (s *server) routes() []route.Route {
	routes := []route.Route{
		route.Post("/sign-out", farm.ActView, s.signOut),
		route.Post("/theme", farm.ActView, s.theme),
		route.Post("/language", farm.ActView, s.chooseLanguage),
		route.Get("/account", farm.ActView, s.account),
		route.Post("/account/password", farm.ActView, s.changePassword),
		route.Post("/account/notifications", farm.ActView, s.changeNotices),
		route.Post("/account/notifications/test", farm.ActView, s.testNotices),
		route.Post("/account/passkeys/challenge", farm.ActView, s.newPasskeyChallenge),
		route.Post("/account/passkeys", farm.ActView, s.addPasskey),
		route.Post("/account/passkeys/:id/rename", farm.ActView, s.renamePasskey),
		route.Post("/account/passkeys/:id/remove", farm.ActView, s.removePasskey),
		route.Post("/account/sign-in-again", farm.ActView, s.signInAgain),
		route.Post("/account/sessions/:id/end", farm.ActView, s.endSession),
		route.Post("/account/sessions/end", farm.ActView, s.endSessions),
		route.Get("/", farm.ActView, s.home),
		route.Get("/welcome", farm.ActSubmit, s.welcome),
		route.Post("/welcome/render", farm.ActChangeTemplates, s.renderDemo),
		route.Get("/jobs", farm.ActView, s.jobs),
		route.Get("/jobs/results.zip", farm.ActView, s.selectedResults),
		route.Post("/jobs/change", farm.ActChangeJobs, s.changeSelected),
		route.Get("/jobs/:id", farm.ActView, s.job),
		route.Get("/jobs/:id/log", farm.ActView, s.jobLog),
		route.Get("/jobs/:id/log/search", farm.ActView, s.searchLog),
		route.Get("/jobs/:id/log/part", farm.ActView, s.logPart),
		route.Get("/jobs/:id/download", farm.ActView, s.download),
		route.Get("/jobs/:id/proxy", farm.ActView, s.proxy),
		route.Get("/jobs/:id/review", farm.ActView, s.review),
		route.Get("/jobs/:id/review/remarks", farm.ActView, s.reviewRemarks),
		route.Post("/jobs/:id/review/remarks", farm.ActComment, s.reviewSay),
		route.Post("/jobs/:id/reviews", farm.ActShareReviews, s.makeReview),
		route.Post("/jobs/:id/reviews/:review/revoke", farm.ActShareReviews, s.revokeReview),
		route.Get("/jobs/:id/poster", farm.ActView, s.jobPoster),
		route.Get("/jobs/:id/frame-times", farm.ActView, s.frameTimes),
		route.Get("/jobs/:id/thumbnails/:name", farm.ActView, s.thumbnail),
		route.Post("/jobs/:id/cancel", farm.ActChangeJobs, s.cancelJob),
		route.Post("/jobs/:id/render-again", farm.ActChangeJobs, s.renderAgain),
		route.Post("/jobs/:id/watch", farm.ActView, s.watchJob),
		route.Post("/jobs/:id/release", farm.ActChangeJobs, s.releaseJob),
		route.Post("/jobs/:id/hold", farm.ActChangeJobs, s.holdJob),
		route.Post("/jobs/:id/call-again", farm.ActChangeJobs, s.callAgain),
		route.Get("/batches", farm.ActView, s.batches),
		route.Get("/batches/:id", farm.ActView, s.batch),
		route.Get("/batches/:id/results.zip", farm.ActView, s.batchResults),
		route.Get("/batches/:id/results.csv", farm.ActView, s.batchTable),
		route.Get("/batches/:id/download", farm.ActView, s.batchDownload),
		route.Post("/batches/:id/label", farm.ActChangeJobs, s.labelBatch),
		route.Post("/batches/:id/cancel", farm.ActChangeJobs, s.cancelBatch),
		route.Get("/batches/:id/edit", farm.ActSubmit, s.editBatch),
		route.Post("/batches/:id/again", farm.ActSubmit, s.orderBatchAgain),
		route.Get("/templates", farm.ActView, s.templates),
		route.Post("/templates", farm.ActChangeTemplates, s.createTemplate),
		route.Get("/templates/:id", farm.ActView, s.template),
		route.Get("/templates/:id/poster", farm.ActView, s.templatePoster),
		route.Get("/templates/:id/reel", farm.ActView, s.firstReel),
		route.Get("/templates/:id/reels/:composition", farm.ActView, s.templateReel),
		route.Get("/templates/:id/file", farm.ActView, s.templateFile),
		route.Post("/templates/:id/replace", farm.ActChangeTemplates, s.replaceTemplate),
		route.Post("/templates/:id/footage", farm.ActChangeTemplates, s.completeTemplate),
		route.Post("/templates/:id/mark", farm.ActChangeTemplates, s.markTemplate),
		route.Post("/templates/:id/current", farm.ActChangeTemplates, s.makeCurrent),
		route.Post("/templates/:id/retire", farm.ActChangeTemplates, s.retireTemplate),
		route.Post("/templates/:id/delete", farm.ActDeleteTemplates, s.deleteTemplate),
		route.Get("/new", farm.ActSubmit, s.newJobPage),
		route.Post("/new", farm.ActSubmit, s.newJob),
		route.Post("/new/preview", farm.ActSubmit, s.preview),
		route.Post("/new/call", farm.ActSubmit, s.showCall),
		route.Post("/new/presets", farm.ActChangePresets, s.savePreset),
		route.Post("/new/presets/delete", farm.ActChangePresets, s.deletePreset),
		route.Post("/new/table/frame", farm.ActSubmit, s.rowFrame),
		route.Get("/new/table", farm.ActSubmit, s.tablePage),
		route.Get("/new/table.csv", farm.ActSubmit, s.tableTemplate),
		route.Get("/files/table", farm.ActSubmit, s.tableAgain),
		route.Post("/files/table", farm.ActSubmit, s.takeTable), // below /files/, where bodies are streamed
		route.Post("/files/handover", farm.ActSubmit, s.handOver),
	}
	return slices.Concat(routes, s.uploadRoutes(), s.watchRoutes(), s.queueRoutes(), s.searchRoutes(), s.viewRoutes(), s.machineRoutes(), s.settingRoutes())
}

// queueRoutes are about the order of work.
func (s *server) queueRoutes() []route.Route {
	return []route.Route{
		route.Get("/jobs/:id/tasks", farm.ActView, s.tasks),
		route.Get("/jobs/:id/samples/:name", farm.ActView, s.sample),
		route.Post("/jobs/:id/order", farm.ActChangeJobs, s.changeOrder),
		route.Post("/jobs/:id/approve", farm.ActApprove, s.approveJob),
		route.Post("/jobs/:id/reject", farm.ActApprove, s.rejectJob),
		route.Get("/queue", farm.ActView, s.queue),
		route.Get("/queue/move", farm.ActChangeJobs, s.previewMove),
		route.Post("/queue/move", farm.ActChangeJobs, s.move),
		route.Post("/queue/pause", farm.ActSteerFarm, s.turnFarm(true)),
		route.Post("/queue/resume", farm.ActSteerFarm, s.turnFarm(false)),
		route.Post("/queue/levels/:level/pause", farm.ActSteerFarm, s.turnLevel(true)),
		route.Post("/queue/levels/:level/resume", farm.ActSteerFarm, s.turnLevel(false)),
	}
}

// watchRoutes are about how the farm's work goes as a whole.
func (s *server) watchRoutes() []route.Route {
	return []route.Route{
		route.Get("/approvals", farm.ActView, s.approvals),
		route.Post("/approvals", farm.ActApprove, s.approve),
		route.Get("/failures", farm.ActView, s.failures),
		route.Post("/failures/retry", farm.ActSubmit, s.retryFailures),
		route.Post("/failures/dismiss", farm.ActChangeJobs, s.dismissFailures),
		route.Get("/reports", farm.ActView, s.report),
		route.Get("/reports.csv", farm.ActView, s.reportCSV),
		route.Post("/reports/rates", farm.ActChangePolicy, s.changeRates),
		route.Get("/projects", farm.ActView, s.listProjects),
		route.Post("/projects", farm.ActChangeProjects, s.addProject),
		route.Post("/projects/:id", farm.ActChangeProjects, s.changeProject),
		route.Post("/projects/:id/archive", farm.ActChangeProjects, s.archiveProject(true)),
		route.Post("/projects/:id/reopen", farm.ActChangeProjects, s.archiveProject(false)),
		route.Get(wallPath, farm.ActView, s.wall),
	}
}

func (s *server) machineRoutes() []route.Route {
	yes, no := true, false
	return []route.Route{
		route.Get("/machines", farm.ActView, s.machines),
		route.Post("/machines/change", farm.ActRunMachines, s.changeMachines),
		route.Get("/machines/hours", farm.ActRunMachines, s.machineHours),
		route.Post("/machines/hours", farm.ActRunMachines, s.setMachineHours),
		route.Get("/machines/add", farm.ActInviteMachines, s.addMachine),
		route.Post("/machines/add", farm.ActInviteMachines, s.inviteWithPackage),
		route.Post("/machines/add/file", farm.ActInviteMachines, s.invitedFile),
		route.Get("/machines/invite", farm.ActInviteMachines, s.invitations),
		route.Post("/machines/invite", farm.ActInviteMachines, s.inviteMachine),
		route.Post("/machines/invite/:id/revoke", farm.ActInviteMachines, s.revokeInvitation),
		route.Get("/machines/:id", farm.ActView, s.machine),
		route.Get("/machines/:id/frame", farm.ActView, s.firstFrame),
		route.Get("/machines/:id/now", farm.ActView, s.machineNow),
		route.Post("/machines/:id/drain", farm.ActRunMachines, s.turnMachine(farm.AgentChange{Drained: &yes})),
		route.Post("/machines/:id/pause", farm.ActRunMachines, s.turnMachine(farm.AgentChange{Paused: &yes})),
		route.Post("/machines/:id/resume", farm.ActRunMachines, s.turnMachine(farm.AgentChange{Drained: &no, Paused: &no, Restore: true})),
		route.Post("/machines/:id/change", farm.ActRunMachines, s.changeMachine),
		route.Post("/machines/:id/retire", farm.ActInviteMachines, s.retireMachine),
	}
}

func (s *server) settingRoutes() []route.Route {
	routes := []route.Route{
		route.Get("/settings", farm.ActView, s.settings),
		route.Post("/settings/people/:id/link", farm.ActManageTokens, s.invite),
		route.Post("/settings/people/:id/reset", farm.ActManageTokens, s.resetPerson),
		route.Post("/settings/people/:id/passkeys/:passkey/remove", farm.ActManageTokens, s.removePasskeyOf),
		route.Get("/settings/audit", farm.ActAudit, s.audit),
		route.Get("/settings/audit.csv", farm.ActAudit, s.auditFile("csv")),
		route.Get("/settings/audit.json", farm.ActAudit, s.auditFile("json")),
		route.Get("/settings/sign-in", farm.ActManageTeams, s.signInRules),
		route.Get("/settings/sign-in/test", farm.ActManageTeams, s.testSignOn),
		route.Post("/settings/sign-in/groups", farm.ActManageTeams, s.changeRules(addRule)),
		route.Post("/settings/sign-in/groups/up", farm.ActManageTeams, s.changeRules(raiseRule)),
		route.Post("/settings/sign-in/groups/remove", farm.ActManageTeams, s.changeRules(removeRule)),
		route.Post("/settings/sign-in/link", farm.ActManageTeams, s.changeRules(linkByEmail)),
		route.Get("/settings/teams", farm.ActManageTeams, s.listTeams),
		route.Post("/settings/teams", farm.ActManageTeams, s.makeTeam),
		route.Post("/settings/teams/:id", farm.ActManageTeams, s.changeTeam),
		route.Post("/settings/teams/:id/invite", farm.ActManageTeams, s.inviteToTeam),
		route.Post("/settings/teams/:id/delete", farm.ActManageTeams, s.endTeam),
		route.Get("/settings/sharing", farm.ActView, s.sharing),
		route.Post("/settings/sharing", farm.ActChangePolicy, s.share),
		route.Post("/settings/sharing/shares", farm.ActChangePolicy, s.sharesThen),
		route.Get("/settings/updates", farm.ActView, s.updates),
		route.Post("/settings/updates", farm.ActUpdateMachines, s.changeUpdates),
		route.Post("/settings/updates/resume", farm.ActUpdateMachines, s.resumeUpdates),
		route.Get("/settings/fonts", farm.ActView, s.fonts),
		route.Get("/settings/fonts/named", farm.ActView, s.font),
		route.Get("/settings/fonts/:id/faces/:face", farm.ActView, s.fontSpecimen),
		route.Post("/files/font", farm.ActAddFonts, s.addFont),
		route.Post("/settings/fonts/stand-ins", farm.ActAddFonts, s.addStandIn),
		route.Post("/settings/fonts/:id/delete", farm.ActDeleteFonts, s.deleteFont),
		route.Get("/settings/secrets", farm.ActViewSecrets, s.secrets),
		route.Post("/settings/secrets", farm.ActChangeSecrets, s.addSecret),
		route.Post("/settings/secrets/:id/delete", farm.ActChangeSecrets, s.deleteSecret),
		route.Get("/settings/coordinators", farm.ActManageCoordinators, s.coordinators),
		route.Post("/settings/coordinators/lead", farm.ActManageCoordinators, s.transferLead),
		route.Get("/settings/studio", farm.ActRenameTeam, s.studio),
		route.Post("/settings/studio", farm.ActRenameTeam, s.nameStudio),
		route.Get("/settings/studio/logo", farm.ActRenameTeam, s.logo),
		route.Post("/files/logo", farm.ActRenameTeam, s.setLogo),
		route.Post("/settings/studio/logo/remove", farm.ActRenameTeam, s.removeLogo),
		route.Get("/settings/webhooks", farm.ActViewWebhookKey, s.webhooks),
		route.Post("/settings/webhooks", farm.ActRenewWebhookKey, s.renewWebhookKey),
	}
	for _, root := range []string{"/settings/api-tokens", "/settings/people"} {
		routes = append(routes,
			route.Get(root, farm.ActManageTokens, s.tokens),
			route.Post(root, farm.ActManageTokens, s.makeToken),
			route.Get(root+"/:id", farm.ActManageTokens, s.token),
			route.Post(root+"/:id", farm.ActManageTokens, s.changeToken),
			route.Post(root+"/:id/revoke", farm.ActManageTokens, s.revokeToken),
		)
	}
	return routes
}

// unknown answers people who ask for a page that does not exist; what programs ask for is answered by the interface.
func (s *server) unknown(c *fiber.Ctx) error {
	if c.Method() != fiber.MethodGet || !strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML) {
		return c.Next()
	}
	return s.member(farm.ActView, func(*fiber.Ctx, farm.Principal) error {
		return farm.Errorf(farm.CodeNotFound, "there is nothing at this address; it may be mistyped, or removed")
	})(c)
}

// page makes a handler of a page and of the forms that this coordinator's pages send.
func (s *server) page(h func(c *fiber.Ctx) error) fiber.Handler {
	return s.framed(func(c *fiber.Ctx) error {
		if c.Method() == fiber.MethodPost && !sameOrigin(c) {
			return farm.Errorf(farm.CodeForbidden, "this form came from another site; open the dashboard and try again")
		}
		return h(c)
	})
}

// framed makes a handler whose errors become pages.
func (s *server) framed(h func(c *fiber.Ctx) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentSecurityPolicy, s.policy())
		// Stricter policies hide the origin of a form from other sites, and a page that goes on at another coordinator has to show it.
		c.Set(fiber.HeaderReferrerPolicy, "strict-origin-when-cross-origin")
		c.Set(fiber.HeaderCacheControl, "no-store")
		if err := h(c); err != nil {
			return s.problem(c, farm.Principal{}, err)
		}
		return nil
	}
}

// member makes a handler for people who are signed in and may do what it is for; others are led to the sign-in page, and from there to what they
// asked for.
func (s *server) member(action farm.Action, h func(c *fiber.Ctx, p farm.Principal) error) fiber.Handler {
	return s.page(func(c *fiber.Ctx) error {
		p, err := s.reader(c)
		if farm.CodeOf(err) == farm.CodeUnauthorized {
			if c.Method() != fiber.MethodGet || wantsJSON(c) {
				return s.problem(c, p, farm.Errorf(farm.CodeUnauthorized, "sign in again: the session has ended"))
			}
			return c.Redirect(signInFor(c.OriginalURL()), fiber.StatusSeeOther)
		}
		if err != nil {
			return err
		}
		c.Locals(request.LocalPrincipal, p)
		s.greet(c, p)
		if err = p.May(action); err == nil {
			err = s.awaitTurn(c, p)
		}
		if err == nil {
			s.turn(c, p)
			err = h(c, p)
		}
		s.farm.audit.NoteRequest(request.Asker(c), action, c.Method(), err)
		if err != nil {
			return s.problem(c, p, err)
		}
		return nil
	})
}

// problem answers with an error: as JSON to the page's script, as a page to people.
func (s *server) problem(c *fiber.Ctx, p farm.Principal, err error) error {
	status := answer.StatusOf(err)
	message := sayError(c, err)
	if status == fiber.StatusInternalServerError {
		s.logger.Error("a page could not be shown", "path", loggedPath(c), "error", err)
		message = say(c, "The farm could not do this; its log says why.")
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		message = say(c, "The farm took too long to answer. Try again in a moment.")
	}
	c.Status(status)
	forScript := bytes.HasPrefix(c.Request().URI().Path(), []byte("/files/")) && !strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML)
	if wantsJSON(c) || forScript {
		return c.JSON(fiber.Map{"error": message})
	}
	if p.TokenID == "" {
		return s.render(c, page.SignIn(s.bareShell(c, say(c, "That did not work")), page.SignInForm{Problem: message, SignOn: s.signOnLabel()}))
	}
	return s.trouble(c, p, status, message)
}

// loggedPath is the path of a request without the code that it may bring: that signs somebody in.
func loggedPath(c *fiber.Ctx) string {
	if c.Params("code") != "" {
		return c.Route().Path
	}
	return c.Path()
}

func wantsJSON(c *fiber.Ctx) bool { return c.Get(fiber.HeaderAccept) == fiber.MIMEApplicationJSON }

// bareShell is what surrounds the content of a page for those who are not signed in.
func (s *server) bareShell(c *fiber.Ctx, title string) page.Shell {
	return page.Shell{Title: title, Theme: themeOf(c), Version: s.version}
}

// shell is what surrounds a page's content.
func (s *server) shell(c *fiber.Ctx, p farm.Principal, title, active string) page.Shell {
	ctx, cancel := s.callOf(c)
	defer cancel()
	shell := s.bareShell(c, title)
	shell.Active, shell.Reader = active, p
	shell.Pulse, shell.Pause = s.pulse(ctx, p)
	shell.Personal = greeted(c)
	return shell
}

// pulse is how the farm is: in three numbers, and whether it is paused. Without a leader it is what this coordinator's state has.
func (s *server) pulse(ctx context.Context, p farm.Principal) (page.Pulse, page.Pause) {
	status, err := s.farm.status.Pulse(ctx, p)
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

// callOf is call for what the sender of a request asks for, whom the audit log names.
func (s *server) callOf(c *fiber.Ctx) (context.Context, context.CancelFunc) {
	return context.WithTimeout(s.asking(c), callTimeout)
}

// asking is the context of what the sender of a request asks for and that may take long.
func (s *server) asking(c *fiber.Ctx) context.Context {
	return state.WithAsker(language.With(s.base, languageOf(c)), request.Asker(c))
}

// render answers with a page.
func (s *server) render(c *fiber.Ctx, content templ.Component) error {
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	if err := content.Render(language.With(s.base, languageOf(c)), c.Response().BodyWriter()); err != nil {
		return err
	}
	return s.smaller.page(c)
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
	s.keep(c)
	kind := extension(name)
	if kind == "woff2" { // which is compressed in itself, and no text
		c.Type(kind)
		return c.Send(body)
	}
	c.Type(kind, "utf-8")
	return s.smaller.file(c, name, body)
}

func extension(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i+1:]
		}
	}
	return "bin"
}
