package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime/debug"
	"time"

	"overcrank/aep"
)

const (
	// pipesWithin is how long what a process left behind may hold its pipes.
	pipesWithin = 2 * time.Second
	// maxWords is how much of what a process says of its end is looked at, in bytes.
	maxWords = 64 << 10
)

// Read reads a file in a process of program, the program and its first words, which has to call Main. Without one it reads in this process,
// which bounds its time alone: for tests that are about something else. Errors are *aep.Refusal where the file
// is at fault, *Room, ErrMemory, ErrTime, ErrLarge and ErrCrash; others say nothing of the file.
func Read(ctx context.Context, program []string, job Job, b Bounds) (*Result, error) {
	job.Memory = b.Memory
	within, cancel := context.WithTimeout(ctx, b.Within)
	defer cancel()
	ask := func() (*Result, error) { return there(within, program, job) }
	if len(program) == 0 {
		ask = func() (*Result, error) { return here(within, job) }
	}
	told, err := ask()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		return nil, ErrTime
	}
	return told, err
}

// there reads in a process of its own.
func there(ctx context.Context, program []string, job Job) (*Result, error) {
	text, err := run(ctx, program, job)
	if err != nil {
		return nil, err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("%w: its answer cannot be read: %w", ErrCrash, err)
	}
	return a.result()
}

// here reads in this process.
func here(ctx context.Context, job Job) (_ *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrCrash, p, debug.Stack())
		}
	}()
	return read(ctx, job).result()
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

// run gives what the process wrote.
func run(ctx context.Context, program []string, job Job) ([]byte, error) {
	told, err := json.Marshal(job)
	if err != nil {
		return nil, fmt.Errorf("telling what to read: %w", err)
	}
	cmd := exec.CommandContext(ctx, program[0], program[1:]...)
	cmd.WaitDelay = pipesWithin
	apart(cmd)
	words := &beginning{}
	cmd.Stderr = words
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting a reader: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting a reader: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a reader: %w", err)
	}
	_, _ = in.Write(told) // a process that does not listen shows in its end
	text, readErr := io.ReadAll(io.LimitReader(out, maxAnswer+1))
	large := len(text) > maxAnswer
	if large {
		_ = cmd.Process.Kill()
	}
	err = cmd.Wait() // which closes stdin as well
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case large:
		return nil, ErrLarge
	case err != nil:
		return nil, ended(err, words.Bytes())
	case readErr != nil:
		return nil, fmt.Errorf("hearing of a reader: %w", readErr)
	}
	return text, nil
}

// ended says why a process ended without an answer.
func ended(err error, words []byte) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("waiting for a reader: %w", err)
	}
	// Go's runtime ends a process with such words to which the system gives no more memory.
	for _, says := range []string{"out of memory", "cannot allocate memory", "errno=12"} {
		if bytes.Contains(words, []byte(says)) {
			return ErrMemory
		}
	}
	if exit.ExitCode() == overMemory {
		return ErrMemory
	}
	return fmt.Errorf("%w: %w: %s", ErrCrash, err, words)
}

// beginning keeps the first part of what is written to it.
type beginning struct{ bytes.Buffer }

// Write implements io.Writer.
func (t *beginning) Write(p []byte) (int, error) {
	if room := maxWords - t.Len(); room > 0 {
		t.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
