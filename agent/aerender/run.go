package aerender

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"overcrank/farm"
)

// maxKept bounds the warnings and the errors that are kept of a run.
const maxKept = 100

// drainTime is how long the last lines of a program that has ended are waited for: a process that left the group may
// hold the pipe open for ever.
const drainTime = 2 * time.Second

// Run runs an engine to its end. It returns a *Failure when the engine failed or hung, and the context's cause when ctx
// ended first; then, as in every case, no process of the engine is left.
func Run(ctx context.Context, req Request) (Result, error) {
	if len(req.Program) == 0 {
		return Result{}, errors.New("no engine to run")
	}
	if err := context.Cause(ctx); err != nil {
		return Result{}, err
	}
	e, err := start(req)
	if err != nil {
		return Result{}, notRun(err)
	}
	watched := e.watch(ctx)
	code, ended, lost := e.end(ctx)
	if lost != nil && context.Cause(ctx) == nil {
		return Result{Warnings: e.warnings}, notRun(lost)
	}
	return e.judge(ctx, code, ended, watched)
}

// notRun is the error of a run whose engine its Host could not start, or has lost.
func notRun(err error) error {
	if errors.As(err, new(*GoneError)) {
		return err
	}
	return &Failure{Message: fmt.Sprintf("Render failed: the engine could not be started: %v", err), Class: farm.FailureWorker, Cause: farm.Cause{Kind: farm.CauseMachine}}
}

// execution is a running engine. Its lines are read by one goroutine, its end is waited for by another, and watch, which
// owns all the rest, hears of both.
type execution struct {
	req     Request
	limits  Limits
	process Process
	out     *os.File // the end that lines are read from

	lines chan string
	read  chan struct{} // closed when no further line comes

	counter  *counter
	warnings []string
	errors   []string
	weak     []string
	heard    int  // lines
	launched bool // the engine said it is up
	began    bool // the project was opened
	finished bool // the composition was rendered
	reused   int  // frames that it took from other renders
}

func start(req Request) (*execution, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	first := -1
	if req.Start != nil {
		first = *req.Start
	}
	e := &execution{
		req: req, limits: req.Limits.orDefaults(), out: out, counter: newCounter(first, req.Frames),
		lines: make(chan string, 64), read: make(chan struct{}),
	}
	c := Command{
		Program: append(append([]string{}, req.Program...), req.arguments()...), Engine: req.Program[0], Script: req.scriptFile,
		Dir: req.Dir, Env: req.Env, Output: in,
	}
	if req.scriptFile != "" {
		c.Engine = req.aerender
	}
	switch {
	case req.Assemble != nil:
		c.Input = req.Assemble
	case req.Script != "":
		c.Input = strings.NewReader(req.Script)
	}
	if e.process, err = req.host().Start(c); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	go e.readLines()
	return e, nil
}

func (e *execution) readLines() {
	defer close(e.read)
	// The pipe ends when the program does, or when its deadline passes; both are the end of its lines.
	_ = readLines(e.out, func(line string) { e.lines <- line })
}

// end makes sure that nothing of the engine is left, takes in its last lines and returns its exit code. gone says that its Host is.
func (e *execution) end(ctx context.Context) (code int, ended bool, gone error) {
	select {
	case <-e.process.Exited():
		ended = true
	default:
		grace := e.limits.Grace
		if ctx.Err() != nil {
			grace = e.limits.Leave
		}
		e.stop(grace)
	}
	<-e.process.Exited()
	e.process.Kill() // children that outlived the program
	// Pipes have deadlines on every system of ours; where one had not, closing below ends the reading as well.
	_ = e.out.SetReadDeadline(time.Now().Add(drainTime))
	for {
		select {
		case line := <-e.lines:
			e.take(line)
			continue
		case <-e.read:
		}
		break
	}
	for len(e.lines) > 0 {
		e.take(<-e.lines)
	}
	// Nothing was written to it, so closing cannot lose anything.
	_ = e.out.Close()
	code, gone = e.process.Status()
	e.process.Close()
	return code, ended, gone
}

// stop asks the engine to end and kills it when it does not, still reading its lines so that it cannot block on them.
func (e *execution) stop(patience time.Duration) {
	e.process.Ask()
	grace := time.NewTimer(patience)
	defer grace.Stop()
	for {
		select {
		case <-e.process.Exited():
			return
		case line := <-e.lines:
			e.take(line)
		case <-grace.C:
			e.process.Kill()
			return
		}
	}
}

// take takes a line in.
func (e *execution) take(line string) {
	if e.req.OnLine != nil {
		e.req.OnLine(line)
	}
	e.heard++
	ev := parse(line)
	keep := func(list *[]string) {
		if len(*list) < maxKept {
			*list = append(*list, ev.text)
		}
	}
	switch ev.kind {
	case kindWarning:
		keep(&e.warnings)
	case kindError:
		keep(&e.errors)
	case kindComplaint:
		keep(&e.weak)
	case kindLaunched:
		e.launched = true
	case kindFinished:
		e.finished = true
	case kindReused:
		e.reused = ev.number
	case kindStart, kindDuration, kindFrame:
		e.began = true
	}
	if e.counter.add(ev) && e.req.OnProgress != nil {
		e.req.OnProgress(e.counter.now)
	}
}

// judge says how the run went.
func (e *execution) judge(ctx context.Context, code int, ended bool, watched *Failure) (Result, error) {
	res := Result{Frames: e.counter.now.Done, Expected: e.counter.expected(), Reused: e.reused, Warnings: e.warnings}
	if err := context.Cause(ctx); err != nil {
		return res, err
	}
	found := e.errors
	if code != 0 {
		found = append(found, e.weak...)
	}
	if !ended {
		if (e.finished || e.counter.now.Percent >= 100) && len(e.errors) == 0 && e.req.Done != nil {
			whole, err := e.req.Done()
			if err != nil {
				return res, err
			}
			if res.Hung = whole; whole {
				return res, nil
			}
		}
		if f := outcome(e.req.engine(), e.req.Composition, 0, found, e.began); f != nil {
			return res, f
		}
		return res, watched
	}
	if f := outcome(e.req.engine(), e.req.Composition, code, found, e.began); f != nil {
		return res, f
	}
	return res, nil
}
