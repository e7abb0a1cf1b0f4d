// Package tray shows a person at the machine what the agent does, as an icon with a menu, on Windows and Linux.
package tray

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Show fails: an item in the menu bar needs code of Apple's frameworks, which a program that is compiled without a Mac does not have.
func Show(context.Context, Agent, *slog.Logger) (until time.Time, err error) {
	return time.Time{}, errors.New("on macOS there is no icon: use 'overcrank agent status' and 'overcrank agent pause'")
}
