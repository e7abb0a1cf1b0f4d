package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"overcrank/agent/control"
	"overcrank/cmd/overcrank/client"
)

// The exit codes, which scripts may rely on. docs/cli.md and the help list them.
const (
	exitFailed       = 1
	exitUsage        = 2
	exitNotFound     = 3
	exitUnauthorised = 4
	exitUnreachable  = 5
	exitTimeout      = 6
	exitInterrupted  = 130
)

const exitHelp = `Exit codes:

    0    done
    1    a job failed, or the farm refused what was asked
    2    the command line is wrong
    3    there is no such job, template, batch, ...
    4    the token is not known, or may not do this
    5    the farm gave no answer, or the agent of this machine
    6    --timeout passed; the work goes on
    130  interrupted with Ctrl-C; the work goes on`

// exitCode ends the program with that code when everything has been said already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a command line that is wrong in a way that its parser does not see.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// notFoundError names something that is not there.
type notFoundError struct{ error }

func (e notFoundError) Unwrap() error { return e.error }

// errTimeout is the cause of a wait that took longer than --timeout allows.
var errTimeout = errors.New("--timeout passed")

// stoppedError ends a wait that did not see what it waited for; goOn is the command that takes it up again.
type stoppedError struct {
	goOn    string
	timeout bool
}

func (e stoppedError) Error() string {
	why := "stopped waiting"
	if e.timeout {
		why = "--timeout passed"
	}
	return why + ", the work goes on; to see its end: " + e.goOn
}

func (e stoppedError) Is(target error) bool { return e.timeout && target == errTimeout }

// codeOf is the exit code of a command that ended with err.
func codeOf(ctx context.Context, err error) int {
	var said exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &said):
		return int(said)
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.Is(err, errTimeout):
		return exitTimeout
	case errors.As(err, new(usageError)):
		return exitUsage
	case errors.As(err, new(notFoundError)), client.IsStatus(err, http.StatusNotFound):
		return exitNotFound
	case client.IsStatus(err, http.StatusUnauthorized), client.IsStatus(err, http.StatusForbidden):
		return exitUnauthorised
	case errors.As(err, new(*client.UnreachableError)), errors.Is(err, control.ErrNoAgent), client.IsStatus(err, http.StatusServiceUnavailable):
		return exitUnreachable
	}
	return exitFailed
}
