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

	"overcrank/cmd/overcrank/configfile"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator/reader"
	"overcrank/engine/aerender"
)

// cli is what can be typed.
type cli struct {
	LogLevel  string `help:"Least important log lines to print: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"OVERCRANK_LOG_LEVEL"`
	LogFormat string `help:"How log lines look: text or json." enum:"text,json" default:"text" env:"OVERCRANK_LOG_FORMAT"`

	Quiet bool `short:"q" help:"Print results and errors only: no bars, no remarks."`

	Up          upCommand          `cmd:"" group:"farm" help:"Run a whole farm on this machine: coordinator, dashboard, API and one agent."`
	Coordinator coordinatorCommand `cmd:"" group:"farm" help:"Run a coordinator with API and dashboard, without an agent."`
	Agent       agentCommand       `cmd:"" group:"farm" help:"Run the agent of this workstation, and speak to it."`
	Aerender    aerenderCommand    `cmd:"" group:"farm" passthrough:"" help:"Render with the embedded engine; takes aerender's own flags (overcrank aerender -help)."`
	Storage     storageCommand     `cmd:"" group:"farm" help:"Say where a farm's files are."`
	Backup      backupCommand      `cmd:"" group:"farm" help:"Back up a running farm into one file."`
	Restore     restoreCommand     `cmd:"" group:"farm" help:"Put a running farm back to a backup, or make a new data folder from one."`
	Cluster     clusterCommand     `cmd:"" group:"farm" help:"Manage the coordinators, and the keys by which they and the agents trust each other."`
	Downgrade   downgradeCommand   `cmd:"" group:"farm" help:"Put the state back that a farm had before it was upgraded."`
	Demo        demoCommand        `cmd:"" group:"farm" help:"Make a title card, render it on a farm of its own, and tell where the film lies."`

	Submit    submitCommand    `cmd:"" group:"work" help:"Submit a job."`
	Jobs      jobsCommand      `cmd:"" group:"work" help:"List, show, wait for, download and cancel jobs."`
	Logs      logsCommand      `cmd:"" group:"work" help:"Print the log of a job."`
	Templates templatesCommand `cmd:"" group:"work" help:"Add, show, replace, download and delete templates."`
	Batches   batchesCommand   `cmd:"" group:"work" help:"Submit a table of variants, and follow and download what becomes of it."`
	Join      joinCommand      `cmd:"" group:"work" help:"Stitch clips into one film."`
	Fonts     fontsCommand     `cmd:"" group:"work" help:"Add, list and delete the team's fonts."`
	Secrets   secretsCommand   `cmd:"" group:"work" help:"Keep, list and delete the team's secrets."`

	Agents agentsCommand `cmd:"" group:"machines" help:"Invite, list, drain, pause, tag and retire machines."`
	Farm   farmCommand   `cmd:"" group:"machines" help:"Say what the farm is at, pause it, and set how it shares its machines."`
	Queue  queueCommand  `cmd:"" group:"machines" help:"List what waits for a machine, the next one first."`
	Levels levelsCommand `cmd:"" group:"machines" help:"Say and change how the levels rush, normal and overnight are served."`
	Limits limitsCommand `cmd:"" group:"machines" help:"Limit how many tasks use a thing at once, such as the licences of a plug-in."`
	Events eventsCommand `cmd:"" group:"machines" help:"Print what happens on the farm, as it happens."`

	Teams  teamsCommand  `cmd:"" group:"people" help:"Make, list and end teams."`
	Tokens tokensCommand `cmd:"" group:"people" help:"Make, list and revoke API tokens."`
	People peopleCommand `cmd:"" group:"people" help:"Add people, make links that sign them in, and end their access."`

	Completion completionCommand `cmd:"" help:"Print the script that makes a shell complete commands."`
	Complete   completeCommand   `cmd:"" hidden:""`
	Version    versionCommand    `cmd:"" help:"Print the version."`
}

// Help is what stands above the commands.
func (cli) Help() string { return exitHelp }

// helpWidth is how wide help is on a wide terminal.
const helpWidth = 120

// aerenderCommand only stands in the list of commands: run hands its words over before they are parsed here.
type aerenderCommand struct {
	Flags []string `arg:"" optional:"" help:"aerender's own flags."`
}

// readTemplate is the word that makes the program a reader of one template's file; see package reader.
const readTemplate = "read-template"

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
	if len(args) == 1 && args[0] == readTemplate {
		if err := reader.Main(ctx, os.Stdin, stdout); err != nil {
			fmt.Fprintln(stderr, "overcrank:", err)
			return exitFailed
		}
		return 0
	}
	var c cli
	exit := -1
	parser, err := newParser(&c, kong.Writers(stdout, stderr), kong.Exit(func(code int) { exit = code }), kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		fmt.Fprintln(stderr, "overcrank:", err)
		return exitFailed
	}
	kctx, err := parser.Parse(args)
	if exit >= 0 { // --help has printed what was asked for
		return exit
	}
	if err != nil {
		fmt.Fprintln(stderr, "overcrank:", err)
		fmt.Fprintln(stderr, "Type 'overcrank --help' for the commands and 'overcrank COMMAND --help' for their flags.")
		return exitUsage
	}
	out := &output{Writer: stdout, errors: stderr, quiet: c.Quiet}
	err = kctx.Run(out, c.logger(stderr), parser)
	code := codeOf(ctx, err)
	if err != nil && !errors.As(err, new(exitCode)) && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "overcrank:", terminal.Lines(err.Error()))
	}
	return code
}

// newParser knows all commands.
func newParser(c *cli, options ...kong.Option) (*kong.Kong, error) {
	files := configfile.NewResolver(usualConfig)
	return kong.New(c, append([]kong.Option{
		kong.Resolvers(files), kong.Bind(files), kong.Vars{"agent_folder": agentFolder(), "farm_folder": farmFolder()},
		kong.Name("overcrank"),
		kong.Description("The After Effects render farm that a studio runs on its own machines."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: helpWidth}),
		kong.ExplicitGroups([]kong.Group{{Key: "farm", Title: "Run a farm:"}, {Key: "work", Title: "Work with a farm:"}, {Key: "machines", Title: "Look after its machines:"}, {Key: "people", Title: "Let people and programs in:"}}),
	}, options...)...)
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
