package raftstore

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"strings"

	"github.com/hashicorp/go-hclog"
)

// raftLogger hands what Raft logs to slog. Raft's information lines are about its inner workings: they become debug lines.
type raftLogger struct {
	out  *slog.Logger
	name string
	args []any
}

var _ hclog.Logger = (*raftLogger)(nil)

func newRaftLogger(out *slog.Logger) *raftLogger { return &raftLogger{out: out, name: "raft"} }

func slogLevel(level hclog.Level) slog.Level {
	switch level {
	case hclog.Error:
		return slog.LevelError
	case hclog.Warn:
		return slog.LevelWarn
	default:
		return slog.LevelDebug
	}
}

// isFirstElection recognises the warning that Raft gives when it stands for election without having seen a leader, which
// is how every farm of one node starts.
func isFirstElection(msg string, args []any) bool {
	if !strings.HasSuffix(msg, "starting election") {
		return false
	}
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] == "last-leader-id" {
			return fmt.Sprint(args[i+1]) == ""
		}
	}
	return false
}

// Log writes one line. Values that Raft formats late are formatted here.
func (l *raftLogger) Log(level hclog.Level, msg string, args ...any) {
	to := slogLevel(level)
	if isFirstElection(msg, args) {
		to = slog.LevelDebug
	}
	if level == hclog.Off || !l.out.Enabled(context.Background(), to) {
		return
	}
	attributes := make([]any, len(args))
	for i, arg := range args {
		if format, ok := arg.(hclog.Format); ok && len(format) > 0 {
			arg = fmt.Sprintf(fmt.Sprint(format[0]), format[1:]...)
		}
		attributes[i] = arg
	}
	l.out.Log(context.Background(), to, l.name+": "+msg, attributes...)
}

func (l *raftLogger) Trace(msg string, args ...any) { l.Log(hclog.Trace, msg, args...) }
func (l *raftLogger) Debug(msg string, args ...any) { l.Log(hclog.Debug, msg, args...) }
func (l *raftLogger) Info(msg string, args ...any)  { l.Log(hclog.Info, msg, args...) }
func (l *raftLogger) Warn(msg string, args ...any)  { l.Log(hclog.Warn, msg, args...) }
func (l *raftLogger) Error(msg string, args ...any) { l.Log(hclog.Error, msg, args...) }

func (l *raftLogger) enabled(level hclog.Level) bool {
	return l.out.Enabled(context.Background(), slogLevel(level))
}

func (l *raftLogger) IsTrace() bool { return l.enabled(hclog.Trace) }
func (l *raftLogger) IsDebug() bool { return l.enabled(hclog.Debug) }
func (l *raftLogger) IsInfo() bool  { return l.enabled(hclog.Info) }
func (l *raftLogger) IsWarn() bool  { return l.enabled(hclog.Warn) }
func (l *raftLogger) IsError() bool { return l.enabled(hclog.Error) }

func (l *raftLogger) ImpliedArgs() []any { return l.args }
func (l *raftLogger) Name() string       { return l.name }

func (l *raftLogger) With(args ...any) hclog.Logger {
	return &raftLogger{out: l.out.With(args...), name: l.name, args: append(append([]any{}, l.args...), args...)}
}

func (l *raftLogger) Named(name string) hclog.Logger { return l.ResetNamed(l.name + "." + name) }

func (l *raftLogger) ResetNamed(name string) hclog.Logger {
	return &raftLogger{out: l.out, name: name, args: l.args}
}

// SetLevel does nothing: slog's handler decides what is kept.
func (l *raftLogger) SetLevel(hclog.Level) {}

func (l *raftLogger) GetLevel() hclog.Level {
	for _, level := range []hclog.Level{hclog.Debug, hclog.Warn, hclog.Error} {
		if l.enabled(level) {
			return level
		}
	}
	return hclog.Off
}

func (l *raftLogger) StandardLogger(options *hclog.StandardLoggerOptions) *log.Logger {
	return log.New(l.StandardWriter(options), "", 0)
}

func (l *raftLogger) StandardWriter(*hclog.StandardLoggerOptions) io.Writer {
	return slog.NewLogLogger(l.out.Handler(), slog.LevelWarn).Writer()
}
