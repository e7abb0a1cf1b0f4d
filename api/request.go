package api

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/oklog/ulid/v2"
	"github.com/valyala/fasthttp"

	"overcrank/farm"
	"overcrank/farm/wire"
)

const headerRequestID = "X-Request-Id"

// localPrincipal is where a request keeps who makes it.
const localPrincipal = "overcrank.principal"

// nameRequest gives every request an id, the caller's own when it is a plain word.
func nameRequest(rc *fasthttp.RequestCtx) {
	id := string(rc.Request.Header.Peek(headerRequestID))
	if !plainWord(id) {
		id = ulid.Make().String()
	}
	rc.Response.Header.Set(headerRequestID, id)
}

// requestID is the id of the request that c answers. Requests that could not even be read get theirs here.
func requestID(c *fiber.Ctx) string {
	if id := c.Response().Header.Peek(headerRequestID); len(id) > 0 {
		return string(id)
	}
	nameRequest(c.Context())
	return string(c.Response().Header.Peek(headerRequestID))
}

func plainWord(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '-', r == '_', r == '.':
		default:
			return false
		}
	}
	return true
}

// logRequests writes one line per request. It names the route rather than the address: addresses of results and
// uploads are keys to them.
func logRequests(logger *slog.Logger) fiber.Handler {
	return func(c *fiber.Ctx) error {
		began := time.Now()
		err := c.Next()
		if err != nil {
			if failed := answerError(c, err); failed != nil {
				return failed
			}
		}
		status := c.Response().StatusCode()
		attrs := []slog.Attr{
			slog.String("method", c.Method()), slog.String("route", c.Route().Path), slog.Int("status", status),
			slog.Duration("took", time.Since(began)), slog.String("request", requestID(c)), slog.String("remote", Origin(c)),
		}
		if id := c.Params("id"); id != "" {
			attrs = append(attrs, slog.String("id", id))
		}
		if p, ok := c.Locals(localPrincipal).(farm.Principal); ok {
			attrs = append(attrs, slog.String("team", p.Team), slog.String("token", p.Name))
		}
		if err != nil {
			attrs = append(attrs, slog.String("error", causeOf(err)))
		}
		logger.LogAttrs(c.UserContext(), levelOf(c, status), "request", attrs...)
		return nil
	}
}

// levelOf keeps what happens all the time out of an ordinary log: reads, and what agents send while they work.
func levelOf(c *fiber.Ctx, status int) slog.Level {
	switch {
	case status == fiber.StatusServiceUnavailable:
		return slog.LevelWarn
	case status >= 500:
		return slog.LevelError
	case c.Method() == fiber.MethodGet, c.Method() == fiber.MethodHead:
		return slog.LevelDebug
	case status < 400 && strings.HasPrefix(c.Path(), agentRoot):
		return slog.LevelDebug
	case strings.HasPrefix(c.Path(), wire.PathThumbnail): // refused ones, too: a frame may come after its attempt has ended
		return slog.LevelDebug
	default:
		return slog.LevelInfo
	}
}

// agentRoot begins the addresses of farm/wire.
const agentRoot = "/api/farm/v1/agent/"

// causeOf is an error with the cause that its caller is not shown.
func causeOf(err error) string {
	var fe *farm.Error
	if errors.As(err, &fe) && fe.Err != nil {
		return err.Error() + ": " + fe.Err.Error()
	}
	return err.Error()
}

// recoverPanics turns a panic of a handler into an error whose cause is the stack.
func recoverPanics(c *fiber.Ctx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.Next()
}

// securityHeaders are what every answer of the interface carries; pages of the dashboard set their own policy over it.
func securityHeaders(c *fiber.Ctx) error {
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	if streamed(c.Path()) {
		c.Set(fiber.HeaderCacheControl, "no-store")
		c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
	}
	return c.Next()
}
