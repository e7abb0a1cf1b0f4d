// Command build makes the packages of Overcrank: it compiles the programs once for each system, has the packages made, and writes beside them what people
// check them by.
//
//	go -C installers run ./build --for linux,windows --dist ../dist
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"overcrank/installers/version"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	systems := flags.String("for", "", "systems to make packages for, with commas between them: "+strings.Join(names(), ", ")+"; all without it")
	root := flags.String("root", "..", "folder of the sources")
	dist := flags.String("dist", filepath.Join("..", "dist"), "folder to write the packages to")
	arch := flags.String("arch", "", "make Linux packages for this processor alone: amd64 or arm64")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is not a flag", flags.Arg(0))
	}
	chosen, err := choose(*systems)
	if err != nil {
		return err
	}
	v, err := version.Of(ctx, *root)
	if err != nil {
		return fmt.Errorf("finding the version: %w", err)
	}
	work, err := os.MkdirTemp("", "overcrank-packages-")
	if err != nil {
		return fmt.Errorf("making a folder for the programs: %w", err)
	}
	defer os.RemoveAll(work)
	if *root, err = filepath.Abs(*root); err != nil {
		return err
	}
	if *dist, err = filepath.Abs(*dist); err != nil {
		return err
	}
	if err := os.MkdirAll(*dist, 0o755); err != nil {
		return fmt.Errorf("making the folder of the packages: %w", err)
	}
	keys, err := keysFrom(os.Getenv, *dist, os.Stderr)
	if err != nil {
		return err
	}
	r := release{root: *root, dist: *dist, version: v, programs: work, arch: *arch, keys: keys}
	made, err := r.make(ctx, chosen)
	if err == nil {
		var folder string
		if folder, err = r.sign(time.Now(), os.Stderr); err == nil {
			made = append(made, folder)
		}
	}
	for _, path := range made {
		fmt.Println(path)
	}
	return err
}

// choose finds the systems that a list names, all of them for "".
func choose(list string) ([]system, error) {
	if list == "" {
		return systems, nil
	}
	var chosen []system
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(systems, func(s system) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there are no packages for %q: choose from %s", name, strings.Join(names(), ", "))
		}
		if !slices.ContainsFunc(chosen, func(s system) bool { return s.name == name }) {
			chosen = append(chosen, systems[i])
		}
	}
	return chosen, nil
}

func names() []string {
	var all []string
	for _, s := range systems {
		all = append(all, s.name)
	}
	return all
}
