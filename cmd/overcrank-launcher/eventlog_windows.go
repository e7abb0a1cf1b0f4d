package main

import (
	"bytes"
	"context"
	"log/slog"

	"golang.org/x/sys/windows/svc/eventlog"
)

// eventHandler writes what is logged into Windows' event log.
type eventHandler struct{ log *eventlog.Log }

// The numbers of events, for those who filter by them.
const (
	eventInfo    = 1
	eventWarning = 2
	eventError   = 3
)

// Enabled has all but debugging logged.
func (eventHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle writes one event.
func (h eventHandler) Handle(ctx context.Context, record slog.Record) error {
	var text bytes.Buffer
	plain := slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{} // the event has both
		}
		return a
	}})
	if err := plain.Handle(ctx, record); err != nil {
		return err
	}
	switch {
	case record.Level >= slog.LevelError:
		return h.log.Error(eventError, text.String())
	case record.Level >= slog.LevelWarn:
		return h.log.Warning(eventWarning, text.String())
	}
	return h.log.Info(eventInfo, text.String())
}

// WithAttrs is for the interface: the launcher logs without them.
func (h eventHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup is for the interface: the launcher logs without them.
func (h eventHandler) WithGroup(string) slog.Handler { return h }
