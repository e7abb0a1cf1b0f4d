package api

import (
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/inbound"
)

const (
	readTimeout  = 30 * time.Second
	writeTimeout = 75 * time.Second
	// idleTimeout stays under writeTimeout: the write deadline of one answer is still set when the next request on the
	// connection begins, and "100 Continue" is written under it.
	idleTimeout = 45 * time.Second

	headerSize = 16 << 10
	// formLimit bounds the bodies that are read whole before their handler runs.
	formLimit = 1 << 20
)

// NewApp makes the Fiber application that serves interface and dashboard, with the options both rely on: request ids,
// one log line per request, recovery from panics, and limits on bodies.
//
// Bodies below /api/ and /files/ are streamed: their handlers read them with Body. All other bodies are read whole
// before the handler runs and may hold 1 MiB.
//
// proxies are the machines whose word on where requests come from is believed; see Origin.
func NewApp(logger *slog.Logger, proxies ...netip.Prefix) *fiber.App {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	app := fiber.New(fiber.Config{
		AppName:                      "Overcrank",
		Immutable:                    true,
		CaseSensitive:                true,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		DisableStartupMessage:        true,
		BodyLimit:                    formLimit, // no cap while streaming; Body holds the real ones
		ReadBufferSize:               headerSize,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		ErrorHandler:                 func(c *fiber.Ctx, err error) error { return answer.Error(c, err) },
	})
	server := app.Server()
	server.KeepHijackedConns = true     // they belong to a socket.Hub
	server.SecureErrorLogMessage = true // or errors would quote the headers, and with them tokens
	server.ErrorHandler = func(rc *fasthttp.RequestCtx, err error) { refuseUnreadable(rc, err, logger) }
	handler := server.Handler
	server.Handler = func(rc *fasthttp.RequestCtx) {
		request.AssignID(rc)
		if why := checkFraming(rc.Request.Header.RawHeaders()); why != "" {
			refuse(rc, fiber.StatusBadRequest, why)
			rc.SetConnectionClose() // where this request ends is anybody's guess
			inbound.Linger(rc.Conn())
			return
		}
		joinRoot(rc)
		if slices.Contains(fiber.DefaultMethods, string(rc.Method())) {
			handler(rc)
		} else {
			refuse(rc, fiber.StatusNotFound, answer.UnknownAddress(string(rc.Method()), string(rc.Path())))
		}
		request.Settle(rc)
	}
	bodies := request.NewGate()
	app.Use(func(c *fiber.Ctx) error {
		c.Context().SetUserValue(request.LocalMemory, bodies)
		return c.Next()
	})
	app.Use(request.NoteOrigin(proxies), logRequests(logger), recoverPanics, securityHeaders, readForms)
	return app
}

// roots are the base addresses that callers put a path behind.
var roots = []string{"/api/v2/", "/api/v3/", "/api/farm/v1/"}

// joinRoot takes away the second slash of callers whose base address ends in one already.
func joinRoot(rc *fasthttp.RequestCtx) {
	address := string(rc.Request.Header.RequestURI())
	for _, root := range roots {
		if rest, doubled := strings.CutPrefix(address, root+"/"); doubled && !strings.HasPrefix(rest, "/") {
			rc.Request.SetRequestURI(root + rest)
		}
	}
}

// streamed tells whether the handlers of a path read their bodies themselves.
func streamed(path string) bool {
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/files/")
}

// readForms reads the body of every other request whole, so that Fiber's own accessors are safe in its handler.
func readForms(c *fiber.Ctx) error {
	if streamed(c.Path()) || !c.Request().IsBodyStream() {
		return c.Next()
	}
	form, err := request.ReadBody(c, formLimit)
	if err != nil {
		return err
	}
	c.Request().SetBody(form)
	return c.Next()
}
