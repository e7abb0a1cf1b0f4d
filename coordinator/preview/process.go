package preview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"overcrank/coordinator/child"
)

// mostAnswer is how large the answer of a process may be, in bytes: a picture of MostWidth takes a fraction of it.
const mostAnswer = 16 << 20

// errMemory and errTime mark frames that took more than they may, errGone a process that ended for another reason.
var (
	errGone   = errors.New("a process for previews gave no answer")
	errMemory = errors.New("drawing it takes more memory than a preview may")
	errTime   = errors.New("drawing it takes longer than a preview may")
)

// process is a child process that runs Main.
type process struct {
	end   context.CancelFunc
	cmd   *exec.Cmd
	words *child.Words
	limit *io.LimitedReader // of one answer
	out   *json.Decoder
	asked int // the number of the last request
	late  atomic.Bool
	ended bool // nothing more can be asked of it

	mu sync.Mutex // of what is written to it
	in io.WriteCloser
}

// startProcess starts a process, which ends with ctx, and tells it what to open.
func startProcess(ctx context.Context, program []string, o Opening) (*process, error) {
	ctx, end := context.WithCancel(ctx)
	p := &process{end: end, cmd: exec.CommandContext(ctx, program[0], program[1:]...), words: &child.Words{}}
	p.cmd.WaitDelay = child.PipeTimeout
	p.cmd.Stderr = p.words
	child.Apart(p.cmd)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		end()
		return nil, fmt.Errorf("starting a process for previews: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("starting a process for previews: %w", err)
	}
	p.in, p.limit = in, &io.LimitedReader{R: out}
	p.out = json.NewDecoder(p.limit)
	p.tell(o)
	return p, nil
}

// tell writes a message to the process. One that does not read it is ended by whoever waits for its answer.
func (p *process) tell(v any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = json.NewEncoder(p.in).Encode(v)
}

// ask asks for a frame. When ctx ends, the process is told to stop; it is ended when it does not answer within the time that it has.
func (p *process) ask(ctx context.Context, shot Shot, within time.Duration) (Picture, error) {
	p.asked++
	n := p.asked
	late := time.AfterFunc(within, func() { p.late.Store(true); p.end() })
	defer late.Stop()
	p.tell(request{N: n, Shot: &shot})
	stop := context.AfterFunc(ctx, func() { p.tell(request{N: n}) })
	defer stop()
	p.limit.N = mostAnswer
	var a answer
	err := p.out.Decode(&a)
	if err == nil && a.N != n {
		err = fmt.Errorf("it answered request %d instead of %d", a.N, n)
	}
	switch {
	case err != nil:
		return Picture{}, p.failed(err)
	case a.Refused != "":
		return Picture{}, &Refusal{a.Refused}
	case a.Picture == nil:
		return Picture{}, errors.New(a.Trouble)
	}
	a.Picture.Notes = tell(a.Picture.Notes)
	return *a.Picture, nil
}

// failed ends a process that gave no answer, and says why it gave none.
func (p *process) failed(err error) error {
	ended := p.kill()
	switch {
	case p.late.Load():
		return errTime
	case errors.Is(ended, child.ErrMemory):
		return errMemory
	}
	return fmt.Errorf("%w: %w", errGone, errors.Join(ended, err))
}

// kill ends the process and says what it ended of.
func (p *process) kill() error {
	p.ended = true
	own := time.AfterFunc(child.PipeTimeout, p.end) // it ends by itself when nothing more can come
	defer own.Stop()
	defer p.end()
	p.mu.Lock()
	_ = p.in.Close()
	p.mu.Unlock()
	if err := p.cmd.Wait(); err != nil {
		return child.Ended(err, p.words.Bytes())
	}
	return nil
}
