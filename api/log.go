package api

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// logRequests writes one line per request. It names the route rather than the address: addresses of results and
// uploads are keys to them.
func logRequests(logger *slog.Logger) fiber.Handler {
	return func(c *fiber.Ctx) error {
		began := time.Now()
		err := c.Next()
		if err != nil {
			if failed := answer.Error(c, err); failed != nil {
				return failed
			}
		}
		status := c.Response().StatusCode()
		attrs := []slog.Attr{
			slog.String("method", c.Method()), slog.String("route", c.Route().Path), slog.Int("status", status),
			slog.Duration("took", time.Since(began)), slog.String("request", request.ID(c)), slog.String("remote", request.Origin(c)),
		}
		if id := c.Params("id"); id != "" {
			attrs = append(attrs, slog.String("id", id))
		}
		if p, ok := c.Locals(request.LocalPrincipal).(farm.Principal); ok {
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
