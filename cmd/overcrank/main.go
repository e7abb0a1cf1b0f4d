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
	"overcrank/cmd/overcrank/reading"
)

// version is stamped by the linker: -X main.version=…
var version = ""

func main() {
	runtime.UnlockOSThread() // package systray locks it for every program that links it
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program without its process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	// A project is read in a process of its own, which knows nothing of the farm.
	if len(args) == 1 && args[0] == reading.Argument {
		if err := reading.Main(ctx, os.Stdin, stdout); err != nil {
			fmt.Fprintln(stderr, "overcrank:", err)
			return exit.Failed
		}
		return 0
	}
	program := commandline.Program{Name: "overcrank", Version: version, Parser: func(options ...kong.Option) (*kong.Kong, *commandline.Flags, error) {
		var c cli
		parser, err := newParser(&c, options...)
		return parser, &c.Flags, err
	}}
	return program.Run(ctx, args, os.Stdin, stdout, stderr)
}
