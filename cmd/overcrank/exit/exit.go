// Package exit holds the exit codes of the program, which scripts may rely on, and the errors that lead to them.
package exit

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"overcrank/agent/control"
	"overcrank/cmd/overcrank/client"
)

// The exit codes besides 0. Help and docs/cli.md list them.
const (
	Failed       = 1
	Usage        = 2
	NotFound     = 3
	Unauthorised = 4
	Unreachable  = 5
	TimedOut     = 6
	Interrupted  = 130
)

// Help is what the program's help says of exit codes.
const Help = `Exit codes:

    0    done
    1    a job failed, or the farm refused what was asked
    2    the command line is wrong
    3    there is no such job, template, batch, ...
    4    the token is not known, or may not do this
    5    the farm gave no answer, or the agent of this machine
    6    --timeout passed; the work goes on
    130  interrupted with Ctrl-C; the work goes on`

// Code is an error that ends the program with that exit code and without a further message.
type Code int

func (c Code) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// usageError is a mistake in the command line that its parser cannot see.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usagef makes an error for a mistake in the command line that its parser cannot see.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// notFoundError names something that does not exist.
type notFoundError struct{ error }

func (e notFoundError) Unwrap() error { return e.error }

// NotFoundf makes an error that names something that does not exist.
func NotFoundf(format string, args ...any) error { return notFoundError{fmt.Errorf(format, args...)} }

// ErrTimeout is the cause of a wait that took longer than --timeout allows.
var ErrTimeout = errors.New("--timeout passed")

// stoppedError ends a wait before what was waited for has happened.
type stoppedError struct {
	resume  string
	timeout bool
}

// Stopped is the error of a wait that ctx ended. resume is the command with which to wait on.
func Stopped(ctx context.Context, resume string) error {
	return stoppedError{resume: resume, timeout: errors.Is(context.Cause(ctx), ErrTimeout)}
}

func (e stoppedError) Error() string {
	why := "stopped waiting"
	if e.timeout {
		why = "--timeout passed"
	}
	return why + ", the work goes on; to see its end: " + e.resume
}

func (e stoppedError) Is(target error) bool { return e.timeout && target == ErrTimeout }

// CodeOf is the exit code of a command that ended with err, 0 for none.
func CodeOf(ctx context.Context, err error) int {
	var code Code
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case ctx.Err() != nil:
		return Interrupted
	case errors.Is(err, ErrTimeout):
		return TimedOut
	case errors.As(err, new(usageError)):
		return Usage
	case errors.As(err, new(notFoundError)), client.IsStatus(err, http.StatusNotFound):
		return NotFound
	case client.IsStatus(err, http.StatusUnauthorized), client.IsStatus(err, http.StatusForbidden):
		return Unauthorised
	case errors.As(err, new(*client.UnreachableError)), errors.Is(err, control.ErrNoAgent), client.IsStatus(err, http.StatusServiceUnavailable):
		return Unreachable
	}
	return Failed
}
