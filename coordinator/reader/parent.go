package reader

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"runtime/debug"
	"time"

	"overcrank/aep"
	"overcrank/coordinator/child"
)

// lookFor is how long a Look may take when Bounds do not say.
const lookFor = 20 * time.Second

// Read reads a file in a child process: program and its first arguments, which must call Main. With an empty program it reads in this
// process, and limits only the time: for tests of other things. Errors are *aep.Refusal when the file is invalid, *Room, ErrMemory,
// ErrTime, ErrLarge and ErrCrash; any other error says nothing about the file.
func Read(ctx context.Context, program []string, job Job, b Bounds) (*Result, error) {
	job.Memory, job.Look = b.Memory, cmp.Or(b.Look, lookFor)
	within, cancel := context.WithTimeout(ctx, b.Within)
	defer cancel()
	ask := func() (*Result, error) { return readInChild(within, program, job) }
	if len(program) == 0 {
		ask = func() (*Result, error) { return readInProcess(within, job) }
	}
	told, err := ask()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && within.Err() != nil:
		return nil, ErrTime
	}
	return told, err
}

// readInChild reads in a child process.
func readInChild(ctx context.Context, program []string, job Job) (*Result, error) {
	text, ended := run(ctx, program, job)
	first, rest, whole := bytes.Cut(text, []byte{'\n'})
	switch {
	case len(first) > maxAnswer:
		return nil, ErrLarge
	case !whole && ended != nil:
		return nil, ended
	}
	var a answer
	if err := json.Unmarshal(first, &a); err != nil {
		return nil, fmt.Errorf("%w: malformed answer: %w", ErrCrash, err)
	}
	result, err := a.result()
	if err == nil {
		result.Preflight, result.Trouble = preflight(rest, ended)
	}
	return result, err
}

// preflight reads what the child process wrote after its answer, before it ended.
func preflight(text []byte, ended error) (*aep.Preflight, error) {
	if len(text) == 0 && ended == nil {
		return nil, nil
	}
	var p aep.Preflight
	err := cmp.Or(ended, json.Unmarshal(text, &p))
	switch {
	case err == nil:
		return &p, nil
	case errors.Is(err, ErrMemory):
		return &aep.Preflight{Compositions: []aep.Forecast{}, Stopped: aep.StoppedByMemory}, err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrTime):
		return &aep.Preflight{Compositions: []aep.Forecast{}, Stopped: aep.StoppedByTime}, err
	}
	return &aep.Preflight{Compositions: []aep.Forecast{}, Stopped: aep.StoppedByFailure}, err
}

// readInProcess reads in this process.
func readInProcess(ctx context.Context, job Job) (_ *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrCrash, p, debug.Stack())
		}
	}()
	_, a := read(ctx, job)
	return a.result()
}

func (a answer) result() (*Result, error) {
	switch {
	case a.Refusal != "":
		return nil, &aep.Refusal{Message: a.Refusal, Err: errors.New(a.Trouble)}
	case a.Room != nil:
		return nil, a.Room
	case a.Summary == nil:
		return nil, errors.New(a.Trouble)
	}
	return &Result{Summary: a.Summary, Picture: a.Picture}, nil
}

// run runs the child process and returns what it wrote, also what it wrote before an error.
func run(ctx context.Context, program []string, job Job) ([]byte, error) {
	text, err := child.Ask(ctx, program, job, maxAnswer+maxPreflight)
	return text, ended(err)
}

// ended is why a process ended without an answer.
func ended(err error) error {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == overTime:
		return ErrTime
	case errors.Is(err, child.ErrLarge):
		return ErrLarge
	case errors.Is(err, child.ErrMemory):
		return ErrMemory
	case errors.Is(err, child.ErrCrash):
		return fmt.Errorf("%w: %w", ErrCrash, err)
	}
	return err
}
