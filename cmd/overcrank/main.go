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
	"syscall"

	"github.com/alecthomas/kong"

	"overcrank/engine/aerender"
)

// cli is what can be typed.
type cli struct {
	LogLevel  string `help:"Least important log lines to print: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"OVERCRANK_LOG_LEVEL"`
	LogFormat string `help:"How log lines look: text or json." enum:"text,json" default:"text" env:"OVERCRANK_LOG_FORMAT"`

	Up          upCommand          `cmd:"" help:"Run a whole farm on this machine: coordinator, dashboard, API and one agent."`
	Coordinator coordinatorCommand `cmd:"" help:"Run a coordinator with API and dashboard, without an agent."`
	Agent       agentCommand       `cmd:"" help:"Run the agent of this workstation."`
	Aerender    aerenderCommand    `cmd:"" passthrough:"" help:"Render with the embedded engine; takes aerender's own flags (overcrank aerender -help)."`
	Submit      submitCommand      `cmd:"" help:"Submit a job."`
	Jobs        jobsCommand        `cmd:"" help:"List, show and cancel jobs."`
	Logs        logsCommand        `cmd:"" help:"Print the log of a job."`
	Demo        demoCommand        `cmd:"" help:"Make a title card, render it on a farm of its own, and tell where the film lies."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

// aerenderCommand only stands in the list of commands: run hands its words over before they are parsed here.
type aerenderCommand struct {
	Flags []string `arg:"" optional:"" help:"aerender's own flags."`
}

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
		return aerender.Main(ctx, versionString(), args[1:], stdout, stderr)
	}
	var c cli
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("overcrank"),
		kong.Description("The After Effects render farm that a studio runs on its own machines."),
		kong.UsageOnError(),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		fmt.Fprintln(stderr, "overcrank:", err)
		return 1
	}
	kctx, err := parser.Parse(args)
	if exit >= 0 { // --help has printed what was asked for
		return exit
	}
	if err != nil {
		fmt.Fprintln(stderr, "overcrank:", err)
		fmt.Fprintln(stderr, "Type 'overcrank --help' for the commands and 'overcrank COMMAND --help' for their flags.")
		return 2
	}
	out := &output{Writer: stdout, errors: stderr}
	err = kctx.Run(out, c.logger(stderr))
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(exitCode)):
		var code exitCode
		errors.As(err, &code)
		return int(code)
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return 130
	}
	fmt.Fprintln(stderr, "overcrank:", err)
	return 1
}

// exitCode ends the program with that code when everything has been said already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// output is where a command prints: results to the writer, progress and remarks to errors.
type output struct {
	io.Writer
	errors io.Writer
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
