// Package dom runs ExtendScript on a project: After Effects' object model, simulated in goja.
//
// Names, numbers and behaviour follow Adobe's After Effects scripting guide, so that a script written for the real
// program runs unchanged for what jobs do: finding layers, setting text, values and expressions, and replacing footage.
// Files outside the job's folder, the network and other processes are out of reach.
package dom

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/footage"
	"overcrank/engine/sandbox"
	"overcrank/engine/text"
)

// Options limit what a script may do.
type Options struct {
	Folder  string                                                       // the only folder whose files a script may use
	Time    time.Duration                                                // of a processor; 0 means 60 s
	Memory  int64                                                        // bytes, 0 means 512 MiB
	Written int64                                                        // bytes that it may write to files, 0 means 1 GiB
	Output  io.Writer                                                    // of $.writeln and alert; nil drops them
	Fonts   *text.Book                                                   // for sourceRectAtTime; may be nil
	Probe   func(ctx context.Context, path string) (footage.Info, error) // reads the format of imported files; nil knows pictures only
	// Host, unless nil, gives a script what After Effects gives those of people and the farm refuses those of jobs, before it runs: tests of
	// the panel run it so.
	Host func(rt *goja.Runtime) error
}

// ScriptError is what a script threw, or why it was stopped.
type ScriptError struct {
	Message string
	Line    int // from 1; 0 when unknown
	File    string
}

// Error tells the message and, when known, the line.
func (e *ScriptError) Error() string { return e.Message }

const (
	defaultTime    = 60 * time.Second
	defaultMemory  = 512 << 20
	defaultWritten = 1 << 30
	// grace is how long after its interruption a script may still be inside a built-in function.
	grace = 5 * time.Second
)

// Run runs script (name is for error messages) on p, which it changes. What the script throws is a *ScriptError, and so
// is the reason when it was stopped for its time, its memory or ctx. After an error p may be partly changed.
func Run(ctx context.Context, p *aep.Project, name, script string, opt Options) error {
	if opt.Time <= 0 {
		opt.Time = defaultTime
	}
	if opt.Memory <= 0 {
		opt.Memory = defaultMemory
	}
	if opt.Written <= 0 {
		opt.Written = defaultWritten
	}
	src, err := readSource(name, script, opt.Folder)
	if err != nil {
		return err
	}
	root, err := openRoot(opt.Folder)
	if err != nil {
		return err
	}
	if root != nil {
		defer func() { _ = root.Close() }()
	}
	s := newSession(ctx, p, opt, root, src)
	defer s.closeFiles()

	done := make(chan error, 1)
	go func() { done <- s.run() }()
	return s.watch(ctx, done)
}

func openRoot(folder string) (*os.Root, error) {
	if folder == "" {
		return nil, nil
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("find the job's folder: %w", err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open the job's folder: %w", err)
	}
	return root, nil
}

// run compiles and runs the script. A panic in this package becomes an error, so that a strange project cannot end the
// process.
func (s *session) run() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &ScriptError{Message: fmt.Sprintf("the script met a fault of the object model: %v", r), File: s.source.name}
			s.log.write("object model fault: %v\n%s", r, debug.Stack())
		}
	}()
	if s.opt.Host != nil {
		if err := s.opt.Host(s.rt); err != nil {
			return fmt.Errorf("preparing the script's host: %w", err)
		}
	}
	prg, err := sandbox.Compile(s.source.name, s.source.text)
	if err == nil {
		_, err = s.rt.RunProgram(prg)
	}
	if err != nil {
		return s.scriptError(err)
	}
	return nil
}

func (s *session) scriptError(err error) error {
	var already *ScriptError
	if errors.As(err, &already) {
		return already
	}
	f := sandbox.FaultOf(err)
	out := &ScriptError{Message: f.Message, File: f.File, Line: f.Line}
	if f.File == s.source.name && f.Line > 0 {
		out.File, out.Line = s.source.place(f.Line)
	}
	return out
}

// watch interrupts the script when its time or memory is used up or ctx ends. A built-in function cannot be interrupted:
// a script that stays in one for longer than grace is abandoned with its runtime, which nothing else refers to.
func (s *session) watch(ctx context.Context, done <-chan error) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	base := heapBefore(s.opt.Memory)
	var clock sandbox.Clock
	clock.Resume()
	var stopped *ScriptError
	var since time.Time
	for {
		select {
		case err := <-done:
			if stopped != nil && err != nil {
				var se *ScriptError
				if errors.As(err, &se) {
					stopped.Line, stopped.File = se.Line, se.File
				}
				return stopped
			}
			return err
		case <-tick.C:
		}
		if stopped != nil {
			if time.Since(since) > grace {
				return stopped
			}
			continue
		}
		switch {
		case ctx.Err() != nil:
			stopped = &ScriptError{Message: "the script was cancelled"}
		case clock.Read() > s.opt.Time:
			stopped = &ScriptError{Message: fmt.Sprintf("the script ran longer than %v and was stopped", s.opt.Time)}
		case tooMuch(base, s.opt.Memory):
			stopped = &ScriptError{Message: fmt.Sprintf("the script used more than %d MiB of memory and was stopped", s.opt.Memory>>20)}
		default:
			continue
		}
		since = time.Now()
		s.rt.Interrupt(stopped.Message)
	}
}

func heapBytes() int64 { return metric("/memory/classes/heap/objects:bytes") }

func metric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// heapBefore is the heap before a script runs. When it has much garbage that is collected first: counted in, it would
// let the script use that much more once it is collected.
func heapBefore(limit int64) int64 {
	if heapBytes()-metric("/gc/heap/live:bytes") > limit/4 {
		runtime.GC()
	}
	return heapBytes()
}

// tooMuch tells whether the heap has grown by more than limit since it was base. Garbage does not count, unless there is
// so much that the script could double it faster than it is collected.
func tooMuch(base, limit int64) bool {
	grown := heapBytes() - base
	if grown <= limit {
		return false
	}
	if grown > 2*limit {
		return true
	}
	runtime.GC()
	return heapBytes()-base > limit
}

// throw raises an Error in the script, worded as After Effects words it.
func (s *session) throw(format string, args ...any) {
	e, err := s.rt.New(s.errorClass, s.rt.ToValue(fmt.Sprintf(format, args...)))
	if err != nil {
		panic(s.rt.NewGoError(fmt.Errorf(format, args...)))
	}
	panic(goja.Value(e))
}
