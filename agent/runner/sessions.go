// Package runner runs After Effects in the session of the person who is signed in, where a service cannot. A runner, a process with the person's rights,
// takes requests from the service over a channel on which each side knows the other's account. It starts nothing but After Effects, and reports the
// session's input.
package runner

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"overcrank/agent/aerender"
	"overcrank/agent/presence"
)

// Config configures Sessions.
type Config struct {
	DataDir string // of the agent
	Program string // overcrank, which Windows starts in sessions
	Version string // of it
	// Who is the person before the machine; nil asks the system.
	Who func(context.Context) (who presence.Person, found bool, err error)
	// Engines are the paths of the aerenders that this machine has.
	Engines func() []string
	// Changed is called when State has changed; it must not block. nil for nobody.
	Changed func()
	Log     *slog.Logger
}

const (
	whoEvery  = time.Second      // how often the service checks who is signed in
	greetTime = 5 * time.Second  // within which a runner has to say hello
	silence   = 15 * time.Second // after which a runner counts as gone: it sends something every second
	// maxRunners is how many may be connected; only one of them belongs to the person at the machine.
	maxRunners = 16
)

// Sessions is the service's side of the channel. It is safe for concurrent use.
type Sessions struct {
	cfg     Config
	console presence.Console
	wg      sync.WaitGroup

	mu          sync.Mutex
	closed      bool
	trouble     error // why runners can no longer connect; nil while they can
	known       bool  // whether found and who are known yet
	found       bool  // somebody is at the machine: who
	who         presence.Person
	runners     map[key]*link
	front       *link       // the runner of who, nil for none
	connections map[int]int // of each account, including those that have not said hello
}

// key tells the runners of people apart.
type key struct {
	id      string
	session uint32
}

func keyOf(p presence.Person) key { return key{p.ID, p.Session} }

// State is what is shown to people about the sessions.
type State struct {
	Person presence.Person // the person at the machine; the zero value for nobody
	Lacks  string          // why After Effects cannot run; "" when it can
}

// The reasons why After Effects cannot run.
const (
	NobodySignedIn = "nobody is signed in"
	notSeenYet     = "it is not known yet who is signed in"
	noRunner       = "Overcrank does not run in the session of who is signed in"
	signedOut      = "the session in which After Effects ran has ended"
	switched       = "another person's session is in front now"
	stopping       = "the agent is stopping"
)

// Open returns Sessions; Run starts them.
func Open(cfg Config) *Sessions {
	s := &Sessions{cfg: cfg, runners: map[key]*link{}, connections: map[int]int{}}
	if s.cfg.Who == nil {
		s.cfg.Who = s.console.Who
	}
	if s.cfg.Changed == nil {
		s.cfg.Changed = func() {}
	}
	return s
}

// Run accepts runners and follows who is signed in until ctx ends. Then it ends all programs in sessions.
func (s *Sessions) Run(ctx context.Context) error {
	attached, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	ended := make(chan error, 1)
	go func() { ended <- s.attach(attached) }()
	left, err := s.follow(ctx, ended)
	s.stop(err) // before the channels are closed, so that programs learn why they end
	leave()
	if !left {
		err = <-ended
	}
	s.wg.Wait()
	return errors.Join(err, s.console.Close())
}

// follow follows who is signed in until ctx ends, or until runners can no longer connect (left).
func (s *Sessions) follow(ctx context.Context, ended <-chan error) (left bool, err error) {
	tick := time.NewTicker(whoEvery)
	defer tick.Stop()
	failed := false // the last look, which was logged
	for {
		who, found, err := s.cfg.Who(ctx)
		if err != nil && ctx.Err() == nil && !failed {
			s.cfg.Log.Warn("cannot see who is signed in at this machine", "error", err)
		}
		if failed = err != nil; !failed {
			s.see(who, found)
		}
		select {
		case <-ctx.Done():
			return false, nil
		case err := <-ended:
			return true, err
		case <-tick.C:
		}
	}
}

// stop ends all programs in sessions and refuses new ones.
func (s *Sessions) stop(trouble error) {
	s.mu.Lock()
	s.closed, s.trouble = true, trouble
	all := slices.Collect(maps.Values(s.runners))
	s.mu.Unlock()
	for _, r := range all {
		r.end(stopping)
	}
	s.cfg.Changed()
}

// see notes who is at the machine.
func (s *Sessions) see(who presence.Person, found bool) {
	s.mu.Lock()
	changed := !s.known || s.found != found || s.who != who
	s.known, s.found, s.who = true, found, who
	left := s.chooseLocked()
	s.mu.Unlock()
	if left != nil {
		left.loseAll(switched)
	}
	if changed || left != nil {
		s.cfg.Changed()
	}
}

// chooseLocked finds the runner of the person at the machine. It returns the previous one when that is another.
func (s *Sessions) chooseLocked() (left *link) {
	var front *link
	if s.found {
		front = s.runners[keyOf(s.who)]
	}
	if s.front != front {
		left = s.front
	}
	s.front = front
	return left
}

// State returns the current state of the sessions.
func (s *Sessions) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := State{Lacks: s.lacksLocked()}
	if s.found {
		state.Person = s.who
	}
	return state
}

func (s *Sessions) lacksLocked() string {
	switch {
	case s.trouble != nil:
		return "Overcrank cannot reach people's sessions: " + s.trouble.Error()
	case s.closed:
		return stopping
	case !s.known:
		return notSeenYet
	case !s.found:
		return NobodySignedIn
	case s.front == nil:
		return noRunner
	}
	return ""
}

// Enter returns the seat of the person at the machine. The error is an *aerender.GoneError when there is nobody, or no runner.
func (s *Sessions) Enter() (*Seat, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if why := s.lacksLocked(); why != "" {
		return nil, &aerender.GoneError{Reason: why}
	}
	return &Seat{s: s, link: s.front}, nil
}

// Idle is the time since the last input in a session, from its runner's last report. Session 0, the only one outside Windows, means that of the person at
// the machine.
func (s *Sessions) Idle(session uint32) (idle time.Duration, known bool) {
	s.mu.Lock()
	r := s.front
	if session != 0 {
		for k, other := range s.runners {
			if k.session == session {
				r = other
			}
		}
	}
	s.mu.Unlock()
	if r == nil {
		return 0, false
	}
	return r.idle()
}

// Processes returns the process ids of the runners. Their descendants work for the farm.
func (s *Sessions) Processes() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []int
	for _, r := range s.runners {
		if r.pid > 0 {
			all = append(all, r.pid)
		}
	}
	return all
}

// admit serves a runner until it is gone, then closes conn.
func (s *Sessions) admit(conn io.ReadWriteCloser, who presence.Person, gid, pid int) {
	defer conn.Close()
	r := &link{
		person: who, gid: gid, pid: pid, line: newLine(conn), log: s.cfg.Log.With("person", who.Name, "account", who.ID),
		processes: map[uint32]*remote{}, requests: map[uint32]chan error{}, gone: make(chan struct{}),
	}
	if err := s.greet(r); err != nil {
		r.log.Warn("a runner is not let in", "error", err)
		return
	}
	r.log.Info("Overcrank runs in a person's session")
	s.register(r)
	err := r.listen()
	s.forget(r)
	r.end(signedOut)
	r.log.Info("Overcrank no longer runs in a person's session", "reason", err)
}

// errRefused means that a runner was refused and told why.
var errRefused = errors.New("refused")

// greet receives a runner's hello and answers it.
func (s *Sessions) greet(r *link) error {
	overdue := time.AfterFunc(greetTime, func() { r.line.conn.Close() })
	defer overdue.Stop()
	f, err := r.line.receive()
	if err != nil {
		return err
	}
	var h hello
	if f.kind != kindHello {
		return errProtocol
	}
	if err := f.read(&h); err != nil {
		return err
	}
	var answer welcome
	s.mu.Lock()
	_, twice := s.runners[keyOf(r.person)]
	full := len(s.runners) >= maxRunners
	s.mu.Unlock()
	switch {
	case h.Protocol != protocol || h.Version != s.cfg.Version:
		answer = welcome{Refused: "the agent's service is of version " + s.cfg.Version, Another: true}
	case twice:
		answer = welcome{Refused: "another runner of this person is connected"}
	case full:
		answer = welcome{Refused: "too many people are signed in"}
	}
	if err := r.line.tell(kindWelcome, 0, answer); err != nil {
		return err
	}
	if answer.Refused != "" {
		return errors.Join(errRefused, errors.New(answer.Refused))
	}
	return nil
}

// register adds a runner. It ends the runner at once if another one of this person was quicker, or the service is stopping.
func (s *Sessions) register(r *link) {
	s.mu.Lock()
	_, twice := s.runners[keyOf(r.person)]
	if s.closed || twice {
		s.mu.Unlock()
		r.end(stopping)
		return
	}
	s.runners[keyOf(r.person)] = r
	s.chooseLocked()
	s.mu.Unlock()
	s.cfg.Changed()
}

func (s *Sessions) forget(r *link) {
	s.mu.Lock()
	if s.runners[keyOf(r.person)] == r {
		delete(s.runners, keyOf(r.person))
	}
	s.chooseLocked()
	s.mu.Unlock()
	s.cfg.Changed()
}
