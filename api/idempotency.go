package api

import (
	"bytes"
	"hash"
	"mime"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/state"
	"overcrank/farm"
)

const (
	// headerIdempotencyKey names a request that its caller may send again without having it carried out twice.
	headerIdempotencyKey = "Idempotency-Key"
	// headerReplayed marks an answer that was given before.
	headerReplayed = "Idempotent-Replay"

	keyLimit = 255
)

// once lets a request with an Idempotency-Key be carried out once: the same request again within a day gets the same answer,
// and another one under the same key a conflict. Only what succeeded is kept. Whoever has a handler in the table of routes
// under POST has this around it; the farm's operations find the request in the context of call and transfer.
func (s *server) once(h route.Handler) route.Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		key := c.Get(headerIdempotencyKey)
		switch {
		case key == "":
			return h(c, p)
		case !printable(key) || len(key) > keyLimit:
			return farm.Invalid("the Idempotency-Key has to be 1 to 255 printable characters",
				farm.Field(headerIdempotencyKey, "has to be 1 to 255 printable characters"))
		}
		return s.carryOut(c, p, key, h)
	}
}

func printable(key string) bool {
	for _, b := range []byte(key) {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return true
}

func (s *server) carryOut(c *fiber.Ctx, p farm.Principal, key string, h route.Handler) error {
	sum := s.farm.requests.NewHash()
	sum.Write([]byte(c.Method() + "\n" + c.Path() + "\n" + string(c.Request().URI().QueryString()) + "\n"))
	if kind, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType)); err == nil && kind == fiber.MIMEMultipartForm && params["boundary"] != "" {
		sum = &formHash{Hash: sum, boundary: []byte(params["boundary"])}
	}
	c.Context().SetUserValue(request.LocalHash, sum)
	ctx, done := request.Call(c)
	defer done()
	carried, err := s.farm.requests.Begin(ctx, p, key, func(limit int64) (string, int64, error) {
		return hashWhole(c, sum, limit)
	})
	if err != nil {
		if farm.CodeOf(err) == farm.CodeConflict {
			c.Set(fiber.HeaderRetryAfter, "1")
		}
		return err
	}
	defer carried.End()
	answer, err := carried.Answered()
	if err != nil {
		return err
	}
	if answer != nil {
		return replay(c, answer)
	}
	c.Locals(request.LocalRequest, carried)
	if refused := h(c, p); refused != nil {
		if answer, err := carried.Overtaken(ctx); err == nil && answer != nil {
			return replay(c, answer)
		}
		return refused
	}
	if carried.Repeated() {
		c.Set(headerReplayed, "true")
	}
	status := c.Response().StatusCode()
	if status < 200 || status > 299 || c.Response().IsBodyStream() {
		return nil // a stream is made anew each time
	}
	// The operation is done, and its caller gets the answer even when that cannot be kept.
	err = carried.Keep(ctx, state.Answer{
		Status: status, ContentType: string(c.Response().Header.ContentType()), Body: bytes.Clone(c.Response().Body()),
	})
	if err != nil {
		s.logger.Warn("keeping an answer for its repetition", "request", request.ID(c), "error", err)
	}
	return nil
}

// replay answers as before.
func replay(c *fiber.Ctx, answer *state.Answer) error {
	c.Set(headerReplayed, "true")
	c.Set(fiber.HeaderContentType, answer.ContentType)
	return c.Status(answer.Status).Send(answer.Body)
}

// formHash hashes a form without its boundary, which most clients choose anew each time they send the same form.
type formHash struct {
	hash.Hash
	boundary []byte
	held     []byte // what may be the beginning of a boundary
}

// Write implements io.Writer. It never fails.
func (h *formHash) Write(p []byte) (int, error) {
	h.held = append(h.held, p...)
	for {
		before, after, found := bytes.Cut(h.held, h.boundary)
		if !found {
			break
		}
		h.Hash.Write(before)
		h.held = after
	}
	if sure := len(h.held) - len(h.boundary) + 1; sure > 0 {
		h.Hash.Write(h.held[:sure])
		h.held = bytes.Clone(h.held[sure:])
	}
	return len(p), nil
}

// Sum implements hash.Hash, at the end of what is written.
func (h *formHash) Sum(b []byte) []byte {
	h.Hash.Write(h.held)
	h.held = nil
	return h.Hash.Sum(b)
}

// hashWhole reads what is left of a body, up to a limit on the whole of it, and gives the hash of the request with the size of
// its body. Without a limit, which is -1 then, only little may be left.
func hashWhole(c *fiber.Ctx, sum hash.Hash, limit int64) (string, int64, error) {
	size, err := request.ReadRest(c, limit)
	if err != nil {
		return "", 0, err
	}
	return state.HashText(sum), size, nil
}
