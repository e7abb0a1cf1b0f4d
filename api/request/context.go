// Package request reads what a request is, whatever it is about: its id, where it comes from, what it shows of its sender, its body, and the
// context in which it is answered.
package request

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator"
	"overcrank/coordinator/state"
	"overcrank/farm"
)

// What a request keeps for those who answer it.
const (
	LocalPrincipal = "overcrank.principal" // farm.Principal: who makes it
	LocalRequest   = "overcrank.request"   // *state.Request, of one with an Idempotency-Key
	LocalLed       = "overcrank.led"       // *coordinator.Led: the time in which it was let through as the leader's
	LocalStopping  = "overcrank.stopping"  // context.Context that ends when the server stops
	LocalMemory    = "overcrank.memory"    // *inbound.Gate that counts its body
	LocalAsker     = "overcrank.asker"     // *state.Asker: who makes it, for the audit log
	LocalHash      = "overcrank.hash"      // hash.Hash of its body
)

// CallTimeout bounds a request that moves no file. Fiber does not tell a handler that its client has left.
const CallTimeout = 30 * time.Second

// Call gives the context for a request that moves no file.
func Call(c *fiber.Ctx) (context.Context, context.CancelFunc) {
	return context.WithTimeout(withRequest(c, context.Background()), CallTimeout)
}

// Transfer gives the context for a request that moves a file; it ends when the server stops.
func Transfer(c *fiber.Ctx) context.Context { return withRequest(c, Stopping(c)) }

// Stopping is a context that ends when the server stops, which calls outlive.
func Stopping(c *fiber.Ctx) context.Context {
	if ctx, ok := c.Context().UserValue(LocalStopping).(context.Context); ok {
		return ctx
	}
	return context.Background()
}

// withRequest adds to ctx what the farm has to know of the request that c answers.
func withRequest(c *fiber.Ctx, ctx context.Context) context.Context {
	if led, ok := c.Locals(LocalLed).(*coordinator.Led); ok {
		ctx = coordinator.WithLed(ctx, led)
	}
	if request, ok := c.Locals(LocalRequest).(*state.Request); ok {
		ctx = state.WithRequest(ctx, request)
	}
	if _, known := c.Locals(LocalPrincipal).(farm.Principal); known { // machines and the farm itself are no askers
		ctx = state.WithAsker(ctx, Asker(c))
	}
	return ctx
}

// Asker is who makes a request, for the audit log.
func Asker(c *fiber.Ctx) *state.Asker {
	if asker, ok := c.Locals(LocalAsker).(*state.Asker); ok {
		return asker
	}
	p, _ := c.Locals(LocalPrincipal).(farm.Principal)
	asker := &state.Asker{Token: p.TokenID, Address: Origin(c)}
	c.Locals(LocalAsker, asker)
	return asker
}
