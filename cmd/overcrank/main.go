// Command overcrank is the whole farm in one binary: coordinator, dashboard, agent, the embedded engine, and the commands
// that speak to them.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/commandline"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/previewing"
	"overcrank/cmd/overcrank/reading"
)

// version is stamped by the linker: -X main.version=…
var version = ""

// protocol is stamped by the linker for tests: -X main.protocol=… is the version of the agents' protocol that the program speaks then.
var protocol = ""

func main() {
	runtime.UnlockOSThread() // package systray locks it for every program that links it
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program without its process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	// Projects are read, and previews and fonts drawn, in processes of their own, which know nothing of the farm.
	if len(args) == 1 {
		own := map[string]func(context.Context, io.Reader, io.Writer) error{
			reading.Argument: reading.Main, reading.FontArgument: reading.FontMain, previewing.Argument: previewing.Main,
		}
		if main := own[args[0]]; main != nil {
			if err := main(ctx, os.Stdin, stdout); err != nil {
				fmt.Fprintln(stderr, "overcrank:", err)
				return exit.Failed
			}
			return 0
		}
	}
	program := commandline.Program{Name: "overcrank", Version: version, Protocol: protocol, Parser: func(line []string, options ...kong.Option) (*kong.Kong, *commandline.Flags, error) {
		var c cli
		parser, err := newParser(&c, line, options...)
		return parser, &c.Flags, err
	}}
	return program.Run(ctx, args, os.Stdin, stdout, stderr)
}
