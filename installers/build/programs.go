package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// compile builds a program of cmd for a target, the same bytes for the same sources wherever they lie.
func (r release) compile(ctx context.Context, t target, program string) error {
	to := r.program(t, program)
	fmt.Fprintf(os.Stderr, "compiling %s for %s/%s\n", program, t.system, t.arch)
	flags := "-s -w -buildid= -X main.version=" + r.version.String() + " -X overcrank/release.compiledRoots=" + strings.Join(r.keys.roots, ",")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", to, "./cmd/"+program)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), t.environment()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling %s for %s/%s: %w\n%s", program, t.system, t.arch, err, out)
	}
	return nil
}

// environment tells the Go toolchain to work for the target.
func (t target) environment() []string {
	return []string{"GOOS=" + t.system, "GOARCH=" + t.arch, "CGO_ENABLED=0"}
}
