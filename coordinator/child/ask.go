package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// PipeTimeout is how long a child's own children may hold its pipes after it ended.
const PipeTimeout = 2 * time.Second

// ErrLarge marks a child whose answer was longer than asked for.
var ErrLarge = errors.New("the process wrote too long an answer")

// Ask starts a child process, tells it a job as JSON on its stdin, which stays open until the child ends, and returns what it wrote to its stdout,
// at most so many bytes; also what it wrote before an error. The child ends with ctx, whose error is then returned, or when it writes more, which
// is ErrLarge. Otherwise errors are those of Ended.
func Ask(ctx context.Context, program []string, job any, most int64) ([]byte, error) {
	told, err := json.Marshal(job)
	if err != nil {
		return nil, fmt.Errorf("encoding what to tell a child process: %w", err)
	}
	cmd := exec.CommandContext(ctx, program[0], program[1:]...)
	cmd.WaitDelay = PipeTimeout
	Apart(cmd)
	words := &Words{}
	cmd.Stderr = words
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting a child process: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting a child process: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a child process: %w", err)
	}
	_, _ = in.Write(told) // if the process does not read it, its exit shows that
	text, readErr := io.ReadAll(io.LimitReader(out, most+1))
	large := int64(len(text)) > most
	if large {
		_ = cmd.Process.Kill()
	}
	err = cmd.Wait() // which closes stdin as well
	switch {
	case ctx.Err() != nil:
		return text, ctx.Err()
	case large:
		return text[:most], ErrLarge
	case err != nil:
		return text, Ended(err, words.Bytes())
	case readErr != nil:
		return text, fmt.Errorf("reading the answer of a child process: %w", readErr)
	}
	return text, nil
}
