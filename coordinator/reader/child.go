package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"overcrank/aep"
	"overcrank/coordinator/child"
	"overcrank/durable"
)

// overTime is the exit code of a process whose look did not end in time.
const overTime = 88

// Main is the child process. It reads a Job from stdin, which stays open while an answer is wanted, and writes the answer to stdout, then
// what look finds; look may be nil.
func Main(ctx context.Context, stdin io.Reader, stdout io.Writer, look Look) error {
	in := json.NewDecoder(stdin)
	var job Job
	if err := in.Decode(&job); err != nil {
		return fmt.Errorf("reading the job from stdin: %w", err)
	}
	go child.EndWith(io.MultiReader(in.Buffered(), stdin))
	if err := child.Confine(job.Memory); err != nil {
		return err
	}
	p, done := read(ctx, job)
	write := func(v any) error {
		child.CheckMemory(job.Memory)
		return json.NewEncoder(stdout).Encode(v)
	}
	if err := write(done); err != nil || p == nil || look == nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, job.Look)
	defer cancel()
	late := time.AfterFunc(2*job.Look, func() { os.Exit(overTime) }) // a look sees the end of its time only now and then
	defer late.Stop()
	found, err := look(within, p, job)
	if err != nil {
		return fmt.Errorf("looking at what would be drawn: %w", err)
	}
	return write(found)
}

// read reads a file in this process. The project is nil when the answer is an error.
func read(ctx context.Context, job Job) (*aep.Project, answer) {
	lim := aep.DefaultLimits()
	var short *Room
	lim.Room = func(need int64) error {
		free, size, err := durable.Space(job.Scratch)
		if err != nil {
			return fmt.Errorf("measuring free disk space: %w", err)
		}
		if free-need < job.MinFree {
			short = &Room{Need: need, Free: max(0, free-job.MinFree), Size: max(0, size-job.MinFree)}
			return short
		}
		return nil
	}
	p, s, err := aep.OpenFile(ctx, job.Path, job.Type, job.Scratch, lim)
	var refusal *aep.Refusal
	switch {
	case short != nil:
		return nil, answer{Room: short}
	case err != nil && durable.Full(err):
		return nil, answer{Room: &Room{}}
	case errors.As(err, &refusal):
		return nil, answer{Refusal: refusal.Message, Trouble: refusal.Err.Error()}
	case err != nil:
		return nil, answer{Trouble: err.Error()}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, answer{Trouble: fmt.Sprintf("encoding an introspection: %v", err)}
	}
	a := answer{Summary: text}
	if job.Type == aep.TypeMogrt {
		if a.Picture, err = mogrtPicture(job.Path); err != nil {
			a.Trouble = err.Error()
		}
	}
	return p, a
}
