// Command overcrank-agent is the part of Overcrank that a workstation needs: the agent, the embedded engine, and the commands that control the agent.
// It is half the size of the whole program. Its commands are those of 'overcrank agent'; the word agent may be left out.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/commandline"
	"overcrank/cmd/overcrank/workstation"
)

// version is stamped by the linker: -X main.version=…
var version = ""

// cli is what can be typed.
type cli struct {
	commandline.Flags

	Agent    workstation.Agent    `cmd:"" help:"Run the agent of this workstation, and speak to it."`
	Aerender commandline.Aerender `cmd:"" passthrough:"" help:"Render with the embedded engine; takes aerender's own flags (overcrank aerender -help)."`
	ShowHelp commandline.ShowHelp `cmd:"" name:"help" passthrough:"" help:"Print the help of the program, or of a command."`
	Version  commandline.Version  `cmd:"" help:"Print the version."`
}

func main() {
	runtime.UnlockOSThread() // package systray locks it for every program that links it
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program without its process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	program := commandline.Program{Name: "overcrank-agent", Version: version, Parser: newParser}
	return program.Run(ctx, whole(args), os.Stdin, stdout, stderr)
}

// newParser makes the parser of a command line.
func newParser(line []string, options ...kong.Option) (*kong.Kong, *commandline.Flags, error) {
	var c cli
	parser, err := commandline.NewParser(&c, line, append([]kong.Option{
		kong.Description("The agent of a workstation: it renders for an Overcrank farm while nobody needs the machine."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: commandline.HelpWidth}),
	}, options...)...)
	return parser, &c.Flags, err
}

// whole completes a command line to that of 'overcrank': it puts the word agent before the agent's own commands and flags.
func whole(args []string) []string {
	at := 0
	if len(args) > 0 && args[0] == "help" {
		at = 1
	}
	first := at // the first word that is not a global flag
	for first < len(args) {
		name, _, valued := strings.Cut(args[first], "=")
		switch name {
		case "--log-level", "--log-format":
			if !valued {
				first++
			}
		case "-q", "--quiet":
		default:
			return insert(args, first)
		}
		first++
	}
	return insert(args, min(first, len(args)))
}

// insert puts the word agent before args[at], unless a command of the program itself stands there, or its help is asked for.
func insert(args []string, at int) []string {
	if at < len(args) && slices.Contains([]string{"agent", "aerender", "version", "help", "--help", "-h"}, args[at]) {
		return args
	}
	if at == len(args) && at > 0 && args[0] == "help" {
		return args
	}
	return slices.Insert(slices.Clone(args), at, "agent")
}
