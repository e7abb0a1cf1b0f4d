// Command answers writes a transform that gives the agent's package answers, for Group Policy, which has no command line:
//
//	go -C installers run ./windows/answers --package ../dist/overcrank-agent-0.1.0-x64.msi --out answers.mst SERVER=https://farm.studio.example:8080 JOIN=ocj_…
//
// It fits later versions of the package too.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"overcrank/installers/windows"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("answers", flag.ExitOnError)
	msi := flags.String("package", "", "the agent's package, any version")
	out := flags.String("out", "answers.mst", "file to write; it holds the join token, so only this user may read it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return windows.WriteTransform(ctx, *msi, *out, flags.Args())
}
