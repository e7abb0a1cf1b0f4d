package runner

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"overcrank/agent/aerender"
	"overcrank/agent/presence"
)

// link is the service's end of the channel to one runner.
type link struct {
	person presence.Person
	gid    int // the person's group on macOS and Linux
	pid    int // of the runner; 0 when the system does not tell
	line   *line
	log    *slog.Logger
	gone   chan struct{} // closed when the runner is gone
	wg     sync.WaitGroup

	mu        sync.Mutex
	ended     string // why the runner is gone; "" while it is connected
	next      uint32 // number of the last stream
	processes map[uint32]*remote
	requests  map[uint32]chan error // waiting for an answer, by stream
	last      seen
	lastAt    time.Time
}

// listen receives frames until the runner is gone.
func (r *link) listen() error {
	overdue := time.AfterFunc(silence, func() { r.line.conn.Close() })
	defer overdue.Stop()
	for {
		f, err := r.line.receive()
		if err != nil {
			return err
		}
		overdue.Reset(silence)
		if err := r.take(f); err != nil {
			return err
		}
	}
}

func (r *link) take(f frame) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.processes[f.stream]
	switch f.kind {
	case kindSeen:
		var now seen
		if err := f.read(&now); err != nil {
			return err
		}
		r.last, r.lastAt = now, time.Now()
	case kindOutput:
		if p != nil {
			return p.add(f.content)
		}
	case kindExited:
		var how exited
		if err := f.read(&how); err != nil {
			return err
		}
		if p != nil {
			p.exit(how)
		}
	case kindClosed:
		if p != nil {
			delete(r.processes, f.stream)
			p.exit(exited{Code: -1}) // does nothing after a kindExited
			p.finish()
		}
	case kindDiscarded:
		var how discarded
		if err := f.read(&how); err != nil {
			return err
		}
		if waiting := r.requests[f.stream]; waiting != nil {
			delete(r.requests, f.stream)
			var err error
			if how.Error != "" {
				err = errors.New(how.Error)
			}
			waiting <- err
		}
	default:
		return fmt.Errorf("%w: a frame of kind %d from a runner", errProtocol, f.kind)
	}
	return nil
}

// end ends the channel and all programs of the runner.
func (r *link) end(why string) {
	r.loseAll(why)
	r.mu.Lock()
	first := r.ended == ""
	if first {
		r.ended = why
		close(r.gone)
	}
	r.mu.Unlock()
	if first {
		r.line.conn.Close()
	}
	r.wg.Wait()
}

// loseAll ends all programs in the session: nobody waits for their results any more.
func (r *link) loseAll(why string) {
	r.mu.Lock()
	lost := make([]*remote, 0, len(r.processes))
	for id, p := range r.processes {
		delete(r.processes, id)
		p.lose(why)
		lost = append(lost, p)
	}
	r.mu.Unlock()
	for _, p := range lost {
		p.signal(signalKill)
	}
}

// stale is how old a runner's last report may be.
const stale = 5 * time.Second

func (r *link) idle() (time.Duration, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	age := time.Since(r.lastAt)
	return r.last.Idle + age, r.last.Known && age < stale
}

// Seat is a person's session in which After Effects may run. It is valid as long as that person is at the machine.
type Seat struct {
	s    *Sessions
	link *link
}

// Owner is the account whose session it is.
func (s *Seat) Owner() string { return s.link.person.ID }

// Start has the runner start a program. It implements aerender.Host.
func (s *Seat) Start(c aerender.Command) (aerender.Process, error) {
	p, err := s.start(c)
	if err != nil {
		return nil, errors.Join(err, c.Output.Close())
	}
	return p, nil
}

func (s *Seat) start(c aerender.Command) (*remote, error) {
	if !slices.Contains(s.s.cfg.Engines(), c.Engine) {
		return nil, fmt.Errorf("%s is no After Effects of this machine", c.Engine)
	}
	if c.Input != nil || len(c.Env) > 0 {
		return nil, errors.New("a program in a person's session gets neither input nor an environment")
	}
	ask := start{Engine: c.Engine, Script: c.Script, Dir: c.Dir}
	if c.Script == "" {
		ask.Arguments = c.Program[1:]
	}
	if err := s.still(); err != nil {
		return nil, err
	}
	r := s.link
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended != "" {
		return nil, &aerender.GoneError{Reason: r.ended}
	}
	r.next++
	p := &remote{link: r, stream: r.next, out: c.Output, more: make(chan struct{}, 1), exited: make(chan struct{})}
	if err := r.line.tell(kindStart, p.stream, ask); err != nil {
		return nil, &aerender.GoneError{Reason: signedOut}
	}
	r.processes[p.stream] = p
	r.wg.Go(p.pass)
	return p, nil
}

// still returns an *aerender.GoneError when the person is no longer at the machine.
func (s *Seat) still() error {
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	if s.s.front != s.link {
		return &aerender.GoneError{Reason: switched}
	}
	return nil
}

// discardTime is how long a runner may take to go through After Effects' caches.
const discardTime = time.Minute

// Discard removes what the person's After Effects has added to its caches since a time.
func (s *Seat) Discard(since time.Time) error {
	r := s.link
	answer := make(chan error, 1)
	r.mu.Lock()
	r.next++
	stream := r.next
	r.requests[stream] = answer
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.requests, stream)
	}()
	if err := r.line.tell(kindDiscard, stream, discard{since}); err != nil {
		return &aerender.GoneError{Reason: signedOut}
	}
	overdue := time.NewTimer(discardTime)
	defer overdue.Stop()
	select {
	case err := <-answer:
		return err
	case <-r.gone:
		return &aerender.GoneError{Reason: signedOut}
	case <-overdue.C:
		return errors.New("the runner does not answer")
	}
}

// remote is a program in a person's session. The fields from waiting on are guarded by its link's mu.
type remote struct {
	link   *link
	stream uint32
	out    *os.File
	more   chan struct{} // signals output to pass on, or its end
	exited chan struct{}

	waiting []byte // output to pass on
	open    int    // bytes received for which no new credit was sent
	last    bool   // no more output will come
	done    bool   // exited is closed
	code    int
	err     error // instead of code
}

// add receives output. A runner that sends more than its credit breaks the protocol.
func (p *remote) add(b []byte) error {
	if p.open += len(b); p.open > window {
		return fmt.Errorf("%w: %d bytes of output under way", errProtocol, p.open)
	}
	p.waiting = append(p.waiting, b...)
	p.wake()
	return nil
}

func (p *remote) wake() {
	select {
	case p.more <- struct{}{}:
	default:
	}
}

func (p *remote) exit(how exited) {
	if p.done {
		return
	}
	if how.Error != "" && p.err == nil {
		p.err = errors.New(how.Error)
	}
	p.done, p.code = true, how.Code
	close(p.exited)
	p.wake()
}

func (p *remote) finish() {
	p.last = true
	p.wake()
}

// lose ends the program for the service, whatever becomes of it in the session.
func (p *remote) lose(why string) {
	if !p.done {
		p.err = &aerender.GoneError{Reason: why}
	}
	p.exit(exited{Code: -1})
	p.finish()
}

// pass writes the output to the program's reader, until there is no more.
func (p *remote) pass() {
	defer p.out.Close()
	reading := true
	for range p.more {
		p.link.mu.Lock()
		b, last := p.waiting, p.last
		p.waiting = nil
		p.link.mu.Unlock()
		if reading && len(b) > 0 {
			_, err := p.out.Write(b)
			reading = err == nil // after an error nobody reads any more
		}
		if len(b) > 0 {
			p.link.mu.Lock()
			p.open -= min(len(b), p.open)
			p.link.mu.Unlock()
			// A runner that is gone needs no credit.
			_ = p.link.line.send(frame{kind: kindCredit, stream: p.stream, content: binary.BigEndian.AppendUint32(nil, uint32(len(b)))})
		}
		if last {
			return
		}
	}
}

func (p *remote) signal(s signal) {
	// Sending fails only when the runner is gone, and the program with it.
	_ = p.link.line.send(frame{kind: kindSignal, stream: p.stream, content: []byte{byte(s)}})
}

func (p *remote) Ask()                    { p.signal(signalAsk) }
func (p *remote) Kill()                   { p.signal(signalKill) }
func (p *remote) Lower()                  { p.signal(signalLower) }
func (p *remote) Exited() <-chan struct{} { return p.exited }
func (p *remote) Close()                  {}

func (p *remote) Status() (int, error) {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	return p.code, p.err
}
