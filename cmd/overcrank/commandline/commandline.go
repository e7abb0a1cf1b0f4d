// Package commandline is what the programs overcrank and overcrank-agent share: it parses the command line, runs the command that it names
// with a logger, and turns the command's error into a message and an exit code.
package commandline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/completion"
	"overcrank/cmd/overcrank/configfile"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/folders"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/engine/aerender"
	"overcrank/farm/wording"
)

// Name is what people type to reach either program: a workstation's program is reached through the launcher, which is called so there.
const Name = "overcrank"

// Flags are the flags that every command takes. A program embeds them in the struct of its commands.
type Flags struct {
	LogLevel  string `help:"Least important log lines to print: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"OVERCRANK_LOG_LEVEL"`
	LogFormat string `help:"How log lines look: text or json." enum:"text,json" default:"text" env:"OVERCRANK_LOG_FORMAT"`

	Quiet bool `short:"q" help:"Print results and errors only: no bars, no remarks."`
}

func (f Flags) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	opts := &slog.HandlerOptions{Level: level}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// Program is one of the programs.
type Program struct {
	// Name is that of its file, without .exe.
	Name string
	// Version is what the linker stamped, "" for a build without a stamp.
	Version string
	// Protocol is the version of the agents' protocol to speak, as the linker stamps it for tests; "" for that of this release.
	Protocol string
	// Parser makes a parser of the program's commands as NewParser does, and the flags that it fills.
	Parser func(line []string, options ...kong.Option) (*kong.Kong, *Flags, error)
}

// NewParser makes a parser of commands, a pointer to a struct. It may know only the command with which line begins, and knows all where line is nil. The
// flags of a command that has --config are read from a file too.
func NewParser(commands any, line []string, options ...kong.Option) (*kong.Kong, error) {
	files := configfile.NewResolver(folders.Config)
	return kong.New(commands, slices.Concat(commandOf(commands, line), mappers(), []kong.Option{
		kong.PostBuild(forgetEmptyVariables),
		kong.Resolvers(files), kong.Bind(files), kong.Vars{
			"agent_folder": folders.Agent(), "farm_folder": folders.Farm(), "launcher_folder": folders.Launcher(), "logs_folder": folders.Logs(),
		},
		kong.Name(Name),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: HelpWidth}),
		kong.Help(printHelp),
	}, options)...)
}

// Run is the program without its process: it returns the exit code. args are the words behind the program's name.
func (p Program) Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// aerender's flags begin with one dash and follow rules of their own.
	if len(args) > 0 && args[0] == "aerender" {
		return aerender.Main(ctx, p.version(), args[1:], stdin, stdout, stderr)
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	if len(args) == 0 {
		args = []string{"--help"} // who types the name alone wants to know what can be typed
	}
	out := &terminal.Output{Writer: stdout, Errors: stderr}
	ctx = client.WithWaits(ctx, func(reason error, rest time.Duration) {
		out.Remark("%s\nIt is tried again for %s.", terminal.Lines(reason.Error()), wording.Duration(rest.Round(time.Second)))
	})
	code := -1
	parser, flags, err := p.Parser(args, kong.Writers(stdout, stderr), kong.Exit(func(asked int) { code = asked }), kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", Name, err)
		return exit.Failed
	}
	kctx, err := parser.Parse(args)
	if code >= 0 { // --help has printed what was asked for
		return code
	}
	if err != nil {
		help, err := completion.Misspelt(parser.Model, args, placed(parser.Model, args, err))
		fmt.Fprintf(stderr, "%s: %s\nFor help, type: %s\n", Name, terminal.Lines(err.Error()), help)
		return exit.Usage
	}
	protocol, err := strconv.Atoi(cmp.Or(p.Protocol, "0"))
	if err != nil {
		fmt.Fprintf(stderr, "%s: built for a version of the agents' protocol that is not a number: %v\n", Name, err)
		return exit.Failed
	}
	program := process.Program{Name: p.Name, Version: p.version(), Protocol: protocol, Parse: func() (*kong.Context, error) { return p.parse(args) }}
	out.Quiet = flags.Quiet
	err = kctx.Run(out, program, flags.logger(stderr), parser)
	if err != nil && !errors.As(err, new(exit.Code)) && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(stderr, "%s: %s\n", Name, terminal.Lines(err.Error()))
	}
	return exit.CodeOf(ctx, err)
}

// parse parses a command line as a start of the program would at this moment.
func (p Program) parse(args []string) (*kong.Context, error) {
	parser, _, err := p.Parser(args)
	if err != nil {
		return nil, err
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	return kctx, nil
}

// Aerender only stands in the list of commands: Run hands its words over before they are parsed here.
type Aerender struct {
	Flags []string `arg:"" optional:"" help:"aerender's own flags."`
}
