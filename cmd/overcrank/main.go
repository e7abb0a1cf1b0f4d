// Command overcrank is the whole farm in one binary: coordinator, dashboard, agent, the embedded engine, and the commands
// that speak to them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/completion"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/node"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator/reader"
	"overcrank/engine/aerender"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program without its process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	// aerender's flags begin with one dash and follow rules of their own.
	if len(args) > 0 && args[0] == "aerender" {
		return aerender.Main(ctx, versionString(), args[1:], os.Stdin, stdout, stderr)
	}
	// A template is read in a process of its own, which knows nothing of the farm.
	if len(args) == 1 && args[0] == node.ReadTemplate {
		if err := reader.Main(ctx, os.Stdin, stdout); err != nil {
			fmt.Fprintln(stderr, "overcrank:", err)
			return exit.Failed
		}
		return 0
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	var c cli
	code := -1
	parser, err := newParser(&c, kong.Writers(stdout, stderr), kong.Exit(func(asked int) { code = asked }), kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		fmt.Fprintln(stderr, "overcrank:", err)
		return exit.Failed
	}
	kctx, err := parser.Parse(args)
	if code >= 0 { // --help has printed what was asked for
		return code
	}
	if err != nil {
		help, err := completion.Misspelt(parser.Model, args, err)
		fmt.Fprintf(stderr, "overcrank: %s\nFor help, type: %s\n", terminal.Lines(err.Error()), help)
		return exit.Usage
	}
	program := process.Program{Version: versionString(), Parse: func() (*kong.Context, error) { return parse(args) }}
	err = kctx.Run(&terminal.Output{Writer: stdout, Errors: stderr, Quiet: c.Quiet}, program, c.logger(stderr), parser)
	if err != nil && !errors.As(err, new(exit.Code)) && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "overcrank:", terminal.Lines(err.Error()))
	}
	return exit.CodeOf(ctx, err)
}

// parse parses a command line as a start of the program would at this moment.
func parse(args []string) (*kong.Context, error) {
	parser, err := newParser(&cli{})
	if err != nil {
		return nil, err
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	return kctx, nil
}

func (c cli) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	opts := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}
