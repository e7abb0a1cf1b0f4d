// Package aerender is the command line of the embedded engine: aerender's flags, lines and exit codes.
//
// Its output and exit codes follow those of Adobe's aerender, so that a caller can use either. In addition to Adobe's
// flags it has -r, which runs a script on the opened project, and -save, which writes the project as the script left it.
//
// The farm's agent sets environment variables: OVERCRANK_FONTS is the folder of the job's fonts, OVERCRANK_THUMBS a folder
// for thumbnails of frames while they render, OVERCRANK_WORKERS how many frames are drawn at once. OVERCRANK_FRAMES is a folder of
// frames that renders share, to which this one may add OVERCRANK_FRAMES_ROOM bytes; without it none are shared.
package aerender

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"overcrank/engine/render"
)

// The exit codes of aerender. Of each pair of codes the second is used when a log file was asked for.
const (
	exitDone    = 0
	exitAborted = 1 // also a failure of the program itself
	exitUsage   = 2
	exitSyntax  = 3
	exitScript  = 5
	exitRuntime = 7 // no project, no composition, no template, missing footage
	exitRender  = 9 // while rendering or writing
)

// failure is an error with aerender's code for its kind.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func fail(code int, format string, args ...any) error {
	return &failure{code, fmt.Errorf(format, args...)}
}

// Main runs the program and returns its exit code. When ctx ends, ffmpeg is killed, no partial output is left, and the
// code is 1. A run that far exceeds its memory limit exits the whole process.
func Main(ctx context.Context, version string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f, err := parseFlags(args)
	if err != nil {
		fmt.Fprintf(stdout, "aerender ERROR: %v\n", err)
		fmt.Fprintln(stderr, "Type 'aerender -help' for the flags.")
		return exitUsage
	}
	switch {
	case f.help:
		fmt.Fprint(stdout, usage)
		return exitDone
	case f.version:
		fmt.Fprintln(stdout, versionLine(version))
		return exitDone
	}
	out, err := newLines(stdout, f)
	if err != nil {
		fmt.Fprintf(stdout, "aerender ERROR: %v\n", err)
		return exitUsage
	}
	defer out.close()
	out.say("%s", versionLine(version))
	defer debug.SetGCPercent(debug.SetGCPercent(render.CollectAt))
	guarded, stop := guardMemory(ctx, memoryLimit(f.memory), func(err error) {
		out.error(outOfMemory(err))
		os.Exit(exitRender)
	})
	defer stop()
	err = run(guarded, version, stdin, out, f)
	if cause := context.Cause(guarded); err != nil && errors.Is(cause, errMemory) {
		err = outOfMemory(cause)
	}
	return finish(ctx, out, f, err)
}

func outOfMemory(err error) error { return fail(exitRender, "After Effects error: %w", err) }

// finish prints how the run ended and gives the exit code for it.
func finish(ctx context.Context, out *lines, f flags, err error) int {
	if err == nil {
		return exitDone
	}
	if ctx.Err() != nil {
		out.info("Render aborted.")
		return exitAborted
	}
	var fault *render.Fault
	if errors.As(err, &fault) {
		out.info(string(fault.Stack))
	}
	code := exitAborted
	var known *failure
	if errors.As(err, &known) {
		code = known.code
		if f.log != "" && code >= exitSyntax {
			code++
		}
	}
	out.error(err)
	return code
}

// run does the work in aerender's order: launch, open, script, composition, footage, frames. A panic that a project
// should never be able to cause becomes the error that After Effects has for such a case.
func run(ctx context.Context, version string, stdin io.Reader, out *lines, f flags) (err error) {
	defer func() {
		if r := recover(); r != nil {
			out.info(string(debug.Stack()))
			err = fail(exitAborted, "After Effects error: internal verification failure, sorry: %v", r)
		}
	}()
	if f.assemble != "" {
		return assemble(ctx, stdin, out, f)
	}
	if f.project == "" {
		return fail(exitRuntime, "No project was given: name one with -project.")
	}
	out.progress("Launching After Effects...")
	out.progress("...After Effects successfully launched")
	for _, note := range f.notes {
		out.warning(note)
	}
	j, err := open(ctx, stdin, out, f)
	if err != nil {
		return err
	}
	if f.save != "" {
		return j.save(ctx)
	}
	if err := j.prepare(ctx); err != nil {
		return err
	}
	j.version = version
	return j.render(ctx)
}

// versionLine is the line by which tools recognise an aerender.
func versionLine(version string) string {
	return "aerender version " + version + " (Overcrank's embedded engine)"
}

// environment is the value of a variable, or otherwise when it is not set.
func environment(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}
