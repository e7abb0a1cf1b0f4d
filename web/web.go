// Package web is the dashboard.
package web

import (
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator"
)

// Config says what the dashboard shows.
type Config struct {
	Farm    *coordinator.Coordinator
	Version string
	Logger  *slog.Logger
}

// Mount adds the dashboard's routes to app. Stop ends its open sockets.
func Mount(app *fiber.App, cfg Config) (stop func()) { panic("skeleton: helper F") }
