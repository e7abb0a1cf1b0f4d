//go:build unix

package workstation

import (
	"context"
	"log/slog"
)

// keepTray does nothing: Linux's desktops start the icon by themselves, and macOS has none.
func keepTray(context.Context, string, *slog.Logger) (end func()) { return func() {} }
