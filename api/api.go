// Package api is the public REST interface and the agents' endpoints, on Fiber.
package api

import (
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator"
)

// Config says what the interface serves.
type Config struct {
	Farm    *coordinator.Coordinator
	Version string
	Logger  *slog.Logger
}

// Mount adds the interface's routes to app. Stop ends the open sockets; call it before app.Shutdown.
func Mount(app *fiber.App, cfg Config) (stop func()) { panic("skeleton: helper D") }

// NewApp makes the Fiber application that serves interface and dashboard, with the options both rely on.
func NewApp() *fiber.App { panic("skeleton: helper D") }
