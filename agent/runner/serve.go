package runner

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"overcrank/agent/aerender"
	"overcrank/agent/presence"
)

// Session configures a runner.
type Session struct {
	Version string // of overcrank
	// Engines are the paths of the aerenders of this machine, as the runner itself has found them.
	Engines func(context.Context) []string
	// Script is the command that has the After Effects of an aerender run a script file.
	Script func(aerender, script string) []string
	Desk   presence.Desk         // whose input is reported; nil where the service sees it itself
	Clear  func(time.Time) error // removes what After Effects has added to its caches since a time
	Host   aerender.Host         // starts programs; nil means as children of this process
	Log    *slog.Logger
}

// ErrRefused means that the service refused this runner; ErrAnother, that service and runner have different versions.
var (
	ErrRefused = errors.New("the agent's service refused this runner")
	ErrAnother = errors.New("the agent's service has another version")
)

const (
	seenEvery = time.Second
	// mostPrograms is how many programs may run at once: a task uses one at a time, and few tasks use After Effects.
	mostPrograms = 16
	// drainTime is how long a runner waits for the last output of a program that has ended: a process that left the group may hold the pipe open.
	drainTime = 2 * time.Second
)

// session is a runner at work.
type session struct {
	Session
	line *line
	wg   sync.WaitGroup

	mu       sync.Mutex
	programs map[uint32]*program
}

// Serve serves the requests of the service at the other end of conn until the service is gone or ctx ends, then ends all programs that it started. The
// caller has to have checked who the service is.
func Serve(ctx context.Context, conn io.ReadWriteCloser, with Session) error {
	if with.Host == nil {
		with.Host = aerender.Children{}
	}
	s := &session{Session: with, line: newLine(conn), programs: map[uint32]*program{}}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := s.greet(); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	s.Log.Info("the agent's service is there")
	looking, stopLooking := context.WithCancel(ctx)
	s.wg.Go(func() { s.look(looking) })
	err := s.listen(ctx)
	conn.Close()
	stopLooking()
	s.endAll()
	s.wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (s *session) greet() error {
	if err := s.line.tell(kindHello, 0, hello{Protocol: protocol, Version: s.Version}); err != nil {
		return err
	}
	overdue := time.AfterFunc(greetTime, func() { s.line.conn.Close() })
	defer overdue.Stop()
	f, err := s.line.receive()
	if err != nil {
		return err
	}
	var w welcome
	if f.kind != kindWelcome {
		return errProtocol
	}
	if err := f.read(&w); err != nil {
		return err
	}
	switch {
	case w.Another:
		return fmt.Errorf("%w: %s", ErrAnother, w.Refused)
	case w.Refused != "":
		return fmt.Errorf("%w: %s", ErrRefused, w.Refused)
	}
	return nil
}

// look reports the session's input to the service every second, which also shows that the runner is alive.
func (s *session) look(ctx context.Context) {
	tick := time.NewTicker(seenEvery)
	defer tick.Stop()
	failed := false
	for {
		var now seen
		if s.Desk != nil {
			sight, err := s.Desk.Look(ctx, presence.Want{Input: true})
			if err != nil && !failed && ctx.Err() == nil {
				s.Log.Warn("cannot fully see the use of this session", "error", err)
			}
			failed = err != nil
			now = seen{Idle: sight.Input, Known: sight.InputKnown, Locked: sight.Session == presence.SessionLocked}
		}
		if s.line.tell(kindSeen, 0, now) != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *session) listen(ctx context.Context) error {
	for {
		f, err := s.line.receive()
		if err != nil {
			return err
		}
		if err := s.take(ctx, f); err != nil {
			return err
		}
	}
}

func (s *session) take(ctx context.Context, f frame) error {
	switch f.kind {
	case kindStart:
		var ask start
		if err := f.read(&ask); err != nil {
			return err
		}
		return s.start(ctx, f.stream, ask)
	case kindDiscard:
		var ask discard
		if err := f.read(&ask); err != nil {
			return err
		}
		s.wg.Go(func() {
			var answer discarded
			if err := s.Clear(ask.Since); err != nil {
				answer.Error = err.Error()
			}
			_ = s.line.tell(kindDiscarded, f.stream, answer) // a service that is gone needs no answer
		})
		return nil
	}
	s.mu.Lock()
	p := s.programs[f.stream]
	s.mu.Unlock()
	if p == nil && (f.kind == kindSignal || f.kind == kindCredit) {
		return nil // it has ended meanwhile
	}
	switch {
	case f.kind == kindSignal && len(f.content) == 1:
		p.signal(signal(f.content[0]))
	case f.kind == kindCredit && len(f.content) == 4:
		p.grant(int64(binary.BigEndian.Uint32(f.content)))
	default:
		return fmt.Errorf("%w: a frame of kind %d from the service", errProtocol, f.kind)
	}
	return nil
}

// program is a program that the runner has started.
type program struct {
	process aerender.Process

	mu      sync.Mutex
	changed *sync.Cond
	credit  int64
	cut     bool // its output is no longer wanted
	over    bool // process is closed
}

func (p *program) signal(s signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	switch s {
	case signalAsk:
		p.process.Ask()
	case signalKill:
		p.process.Kill()
	case signalLower:
		p.process.Lower()
	}
}

func (p *program) grant(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.credit = min(p.credit+bytes, window)
	p.changed.Broadcast()
}

// spend waits until output may be sent, and returns how many bytes; 0 when output is no longer wanted.
func (p *program) spend() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.credit == 0 && !p.cut {
		p.changed.Wait()
	}
	if p.cut {
		return 0
	}
	return int(min(p.credit, maxOutput))
}

func (p *program) spent(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.credit -= int64(bytes)
}

func (p *program) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.process.Close()
}

func (p *program) cutOff() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	p.changed.Broadcast()
}

// aerenderFlags are the flags that a render may have, each followed by a value.
var aerenderFlags = []string{"-project", "-comp", "-output", "-RStemplate", "-OMtemplate", "-s", "-e", "-sound", "-v", "-close"}

// command builds the command of a request. It refuses everything but an After Effects of this machine that renders or runs a script file.
func (s *session) command(ctx context.Context, ask start) ([]string, error) {
	if !slices.Contains(s.Engines(ctx), ask.Engine) {
		return nil, fmt.Errorf("%q is no After Effects of this machine", ask.Engine)
	}
	if !filepath.IsAbs(ask.Dir) {
		return nil, fmt.Errorf("%q is not a working folder", ask.Dir)
	}
	if ask.Script != "" {
		if !filepath.IsAbs(ask.Script) || len(ask.Arguments) > 0 {
			return nil, errors.New("the request for a script is malformed")
		}
		return s.Script(ask.Engine, ask.Script), nil
	}
	if len(ask.Arguments) == 0 || len(ask.Arguments)%2 != 0 {
		return nil, errors.New("the request for a render is malformed")
	}
	for i := 0; i < len(ask.Arguments); i += 2 {
		if !slices.Contains(aerenderFlags, ask.Arguments[i]) {
			return nil, fmt.Errorf("a render with the flag %q is not allowed", ask.Arguments[i])
		}
	}
	return append([]string{ask.Engine}, ask.Arguments...), nil
}

// start starts a program, or tells the service why not. The error is one of the channel.
func (s *session) start(ctx context.Context, stream uint32, ask start) error {
	s.mu.Lock()
	_, twice := s.programs[stream]
	full := len(s.programs) >= mostPrograms
	s.mu.Unlock()
	if twice {
		return fmt.Errorf("%w: a stream that is in use", errProtocol)
	}
	refuse := func(err error) error {
		s.Log.Warn("not starting a program", "error", err)
		return errors.Join(
			s.line.tell(kindExited, stream, exited{Code: -1, Error: fmt.Sprintf("%.1000s", err.Error())}),
			s.line.send(frame{kind: kindClosed, stream: stream}))
	}
	if full {
		return refuse(errors.New("too many programs run in this session"))
	}
	command, err := s.command(ctx, ask)
	if err != nil {
		return refuse(err)
	}
	if len(command) == 0 {
		return refuse(errors.New("this system cannot run scripts in After Effects"))
	}
	out, in, err := os.Pipe()
	if err != nil {
		return refuse(err)
	}
	process, err := s.Host.Start(aerender.Command{Program: command, Engine: ask.Engine, Script: ask.Script, Dir: ask.Dir, Output: in})
	if err != nil {
		return errors.Join(refuse(err), out.Close())
	}
	p := &program{process: process, credit: window}
	p.changed = sync.NewCond(&p.mu)
	s.mu.Lock()
	s.programs[stream] = p
	s.mu.Unlock()
	s.Log.Info("started for the farm", "program", command[0], "script", ask.Script != "")
	s.wg.Go(func() { s.follow(stream, p, out) })
	return nil
}

// follow sends a program's output and how it ended.
func (s *session) follow(stream uint32, p *program, out *os.File) {
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		s.send(stream, p, out)
	}()
	<-p.process.Exited()
	code, err := p.process.Status()
	p.process.Kill() // what has outlived it
	how := exited{Code: code}
	if err != nil {
		how.Error = err.Error()
	}
	// An error means that the service is gone, which listen notices too.
	_ = s.line.tell(kindExited, stream, how)
	// Pipes have deadlines on every system of ours but Windows, where nothing leaves the job object.
	_ = out.SetReadDeadline(time.Now().Add(drainTime))
	<-sent
	out.Close()
	p.close()
	s.mu.Lock()
	delete(s.programs, stream)
	s.mu.Unlock()
	_ = s.line.send(frame{kind: kindClosed, stream: stream})
}

// send sends output as it comes, within the service's credit.
func (s *session) send(stream uint32, p *program, out io.Reader) {
	buf := make([]byte, maxOutput)
	for {
		room := p.spend()
		if room == 0 {
			return
		}
		n, err := out.Read(buf[:room])
		if n > 0 {
			p.spent(n)
			if s.line.send(frame{kind: kindOutput, stream: stream, content: buf[:n]}) != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// endAll ends all programs.
func (s *session) endAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.programs {
		p.cutOff()
		p.signal(signalKill)
	}
}
