package request

import (
	"github.com/gofiber/fiber/v2"
	"github.com/oklog/ulid/v2"
	"github.com/valyala/fasthttp"
)

const headerID = "X-Request-Id"

// AssignID gives every request an id, the caller's own when it is a plain word.
func AssignID(rc *fasthttp.RequestCtx) {
	id := string(rc.Request.Header.Peek(headerID))
	if !plainWord(id) {
		id = ulid.Make().String()
	}
	rc.Response.Header.Set(headerID, id)
}

// ID is the id of the request that c answers. Requests that could not even be read get theirs here.
func ID(c *fiber.Ctx) string {
	if id := c.Response().Header.Peek(headerID); len(id) > 0 {
		return string(id)
	}
	AssignID(c.Context())
	return string(c.Response().Header.Peek(headerID))
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
