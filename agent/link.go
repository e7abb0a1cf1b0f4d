package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"overcrank/agent/farmclient"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/interval"
)

const (
	maxMessage    = 32 << 20               // bytes of a frame: a lease carries a job's assets
	writeTime     = 20 * time.Second       // for one frame
	answerTime    = 20 * time.Second       // for the answer to Hello
	tellEvery     = 200 * time.Millisecond // at most, while something happens
	repeatReports = 10 * time.Second
	minSilence    = 10 * time.Second // of the farm, before the link is taken to be dead
	// Where there is another coordinator to turn to, one that is silent is left sooner.
	pulse       = time.Second // between the signs of life that it is asked for
	fewSilences = 4 * time.Second
	fewAnswers  = 8 * time.Second // to Hello: one that waits to hear who leads answers in time
)

// redirected means that this coordinator does not lead. leader is the address of the one that does, "" while none does.
type redirected struct{ leader string }

func (r *redirected) Error() string {
	if r.leader == "" {
		return "no coordinator leads at the moment"
	}
	return "another coordinator leads: " + r.leader
}

// link keeps the one connection to the farm's leader.
type link struct {
	a        *agent
	began    time.Time
	wake     chan struct{}
	welcome  sync.Once   // the first
	refusals refusals    // of run alone
	linked   atomic.Bool // the farm has welcomed this agent, and the connection has not ended
	standing atomic.Pointer[wire.Standing]
	trouble  atomic.Pointer[string] // why there is no link; "" while nobody knows of a reason
}

func newLink(a *agent) *link {
	l := &link{a: a, began: time.Now(), wake: make(chan struct{}, 1)}
	l.standing.Store(&wire.Standing{})
	l.troubled(nil)
	return l
}

// troubled notes why there is no link, nil for no reason.
func (l *link) troubled(why error) {
	words := ""
	if why != nil {
		words = why.Error()
	}
	l.trouble.Store(&words)
}

// nudge tells the link that there is something to send.
func (l *link) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// settle waits a little for the farm to take the reports that wait.
func (l *link) settle(patience time.Duration) {
	for end := time.Now().Add(patience); len(l.a.outbox.Attempts()) > 0 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		l.nudge()
	}
}

// run connects, and connects again, until ctx ends.
func (l *link) run(ctx context.Context) {
	pause := farmclient.NewBackoff()
	for {
		started := time.Now()
		err := l.session(ctx)
		if ctx.Err() != nil {
			return
		}
		l.troubled(err)
		if errors.Is(err, errRefused) || l.founded(err) {
			if interval.Wait(ctx, l.turnedAway(ctx, err)) != nil {
				return
			}
			continue
		}
		if time.Since(started) > pause.Bound() {
			pause = farmclient.NewBackoff() // what ended was a link that held
		}
		var moved *redirected
		if errors.As(err, &moved) && l.a.farm.TryLeader(moved.leader) {
			l.a.log.Info("going to the coordinator that leads", "coordinator", l.a.farm.Address())
			continue
		}
		wait := farmclient.Soon()
		if l.a.farm.TryNext() {
			wait = pause.Next()
		}
		l.a.log.Info("the link to the farm ended", "next", l.a.farm.Address(), "again", wait.Round(time.Millisecond), "error", err)
		if interval.Wait(ctx, wait) != nil {
			return
		}
	}
}

// session is one connection, from Hello to its end.
func (l *link) session(ctx context.Context) error {
	conn, err := l.dial(ctx)
	if err != nil {
		return err
	}
	s := &session{l: l, conn: conn, sent: make(map[wire.Attempt]time.Time)}
	defer s.close()
	has := l.a.stock.now()
	hello := wire.Hello{Version: wire.Version, Name: l.a.cfg.Name, Inventory: has.hash, Holding: l.a.board.holding(), UpSeconds: time.Since(l.began).Seconds()}
	if err := s.write(wire.Message{Hello: &hello}); err != nil {
		return err
	}
	welcome, err := s.welcome()
	if err != nil {
		return err
	}
	l.a.farm.Welcomed()
	l.a.heed(welcome)
	for _, at := range welcome.Drop {
		l.a.board.forget(at)
	}
	l.welcome.Do(func() { close(l.a.welcomed) })
	if !welcome.WantInventory {
		s.known = has.hash
	}
	l.a.log.Info("linked to the farm", "coordinator", l.a.farm.Address())
	l.standing.Store(&wire.Standing{})
	l.troubled(nil)
	l.linked.Store(true)
	defer l.linked.Store(false)
	return s.run(ctx, welcome)
}

func (l *link) dial(ctx context.Context) (*websocket.Conn, error) {
	if err := l.a.outdated(); err != nil {
		return nil, err
	}
	config := l.a.farm.TLS()
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, NetDialContext: l.a.farm.Dial, TLSClientConfig: config, HandshakeTimeout: answerTime}
	if l.a.farm.Several() {
		dialer.HandshakeTimeout = farmclient.ReachWithin
	}
	address := "wss" + strings.TrimPrefix(l.a.farm.Address(), "https") + wire.PathSession
	//nolint:bodyclose // gorilla has read what it gives of a refusal's body and closed the connection
	conn, res, err := dialer.DialContext(ctx, address, nil)
	switch {
	case err != nil && res != nil:
		return nil, fmt.Errorf("linking to the farm: %w", refusal(res))
	case err != nil:
		return nil, fmt.Errorf("linking to the farm: %w", err)
	}
	l.refusals.pause = 0
	conn.SetReadLimit(maxMessage)
	return conn, nil
}

// session is an open connection. run alone writes to it; one goroutine of run reads.
type session struct {
	l    *link
	conn *websocket.Conn
	sent map[wire.Attempt]time.Time // when a report was sent last
	// known is the hash of the inventory that the farm has, "" when it has another one; cached is what it was told of the cache last.
	known  string
	cached []string
	// available is what the farm was told last of whether the machine may work.
	available farm.Availability
	slotless  []wire.Attempt // as the farm was told last
	trials    *trials
}

func (s *session) close() {
	// The other side may be gone; then there is nobody to say good-bye to.
	_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
	_ = s.conn.Close()
}

func (s *session) write(m wire.Message) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return fmt.Errorf("writing to the farm: %w", err)
	}
	if err := s.conn.WriteJSON(m); err != nil {
		return fmt.Errorf("writing to the farm: %w", err)
	}
	return nil
}

func (s *session) read() (wire.Message, error) {
	_, b, err := s.conn.ReadMessage()
	if err != nil {
		return wire.Message{}, fmt.Errorf("reading from the farm: %w", err)
	}
	var m wire.Message
	if err := json.Unmarshal(b, &m); err != nil {
		return wire.Message{}, fmt.Errorf("reading from the farm: %w", err)
	}
	return m, nil
}

// welcome reads the answer to Hello.
func (s *session) welcome() (wire.Welcome, error) {
	patience := answerTime
	if s.l.a.farm.Several() {
		patience = fewAnswers
	}
	if err := s.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return wire.Welcome{}, fmt.Errorf("reading from the farm: %w", err)
	}
	m, err := s.read()
	switch {
	case err != nil:
		return wire.Welcome{}, err
	case m.Redirect != nil:
		return wire.Welcome{}, &redirected{leader: m.Redirect.Leader}
	case m.Welcome == nil:
		return wire.Welcome{}, errors.New("the farm did not answer with a welcome")
	}
	return *m.Welcome, nil
}

// run works the connection until either side ends it.
func (s *session) run(ctx context.Context, welcome wire.Welcome) error {
	beat := time.Duration(welcome.HeartbeatSeconds * float64(time.Second))
	if beat <= 0 {
		beat = 5 * time.Second
	}
	silence := max(3*beat, minSilence)
	if s.l.a.farm.Several() {
		silence = fewSilences
	}
	trying, stop := context.WithCancel(ctx)
	s.trials = &trials{a: s.l.a, ctx: trying, results: make(chan wire.Tried)}
	defer s.trials.work.Wait()
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.listen(silence) }()
	err := s.talk(ctx, beat, ended)
	s.close()
	if err == nil {
		return context.Cause(ctx)
	}
	return err
}

// talk sends heartbeats, what the attempts tell, and the reports, until the connection or ctx ends.
func (s *session) talk(ctx context.Context, beat time.Duration, ended chan error) (err error) {
	defer func() {
		s.close() // ends listen, which must have returned before talk does
		if heard := <-ended; err == nil || errors.As(heard, new(*redirected)) {
			err = heard
		}
	}()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	asking := time.NewTicker(min(beat, pulse))
	defer asking.Stop()
	if err := s.beat(); err != nil { // which says first of all whether the machine may work
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case heard := <-ended:
			ended <- heard
			return heard
		case <-ticker.C:
			if err := s.beat(); err != nil {
				return err
			}
		case <-asking.C:
			if err := s.ask(); err != nil {
				return err
			}
		case told := <-s.trials.results:
			if err := s.write(wire.Message{Tried: &told}); err != nil {
				return err
			}
		case <-s.l.wake:
			if err := s.tell(); err != nil {
				return err
			}
			if interval.Wait(ctx, tellEvery) != nil {
				return context.Cause(ctx)
			}
		}
	}
}

// beat keeps the leases alive.
func (s *session) beat() error {
	if err := s.heartbeat(); err != nil {
		return err
	}
	return s.tell()
}

// ask asks for a sign of life.
func (s *session) ask() error {
	if err := s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTime)); err != nil {
		return fmt.Errorf("writing to the farm: %w", err)
	}
	return nil
}

// heartbeat tells what the machine holds, and whether it may work.
func (s *session) heartbeat() error {
	beat := &wire.Heartbeat{Holding: s.l.a.board.holding(), Availability: s.l.a.availability(), Sending: s.l.a.board.slotless()}
	if cached := s.l.a.templates.told(s.l.a.cache.Has); !slices.Equal(cached, s.cached) {
		beat.Cached, s.cached = cached, cached
	}
	if err := s.write(wire.Message{Heartbeat: beat}); err != nil {
		return err
	}
	s.available, s.slotless = beat.Availability, beat.Sending
	return nil
}

// tell sends everything that waits: what the machine has when the farm does not know it, then log and progress first, then reports that were not sent lately.
func (s *session) tell() error {
	if has := s.l.a.stock.now(); has.hash != s.known {
		if err := s.write(wire.Message{Inventory: &has.Inventory}); err != nil {
			return err
		}
		s.known = has.hash
	}
	if s.l.a.availability() != s.available || !slices.Equal(s.l.a.board.slotless(), s.slotless) {
		if err := s.heartbeat(); err != nil {
			return err
		}
	}
	reports := s.l.a.outbox.All() // before the feeds: the last lines of an attempt precede its report
	for _, f := range s.l.a.board.waiting() {
		messages := f.take()
		for i, m := range messages {
			if err := s.write(m); err != nil {
				for _, unsent := range messages[i:] {
					if unsent.Log != nil {
						f.putBack(unsent.Log.Lines)
					}
				}
				return err
			}
		}
	}
	for _, m := range reports {
		at := reported(m)
		if time.Since(s.sent[at]) < repeatReports {
			continue
		}
		if err := s.write(m); err != nil {
			return err
		}
		s.sent[at] = time.Now()
	}
	return nil
}

func reported(m wire.Message) wire.Attempt {
	if m.Finished != nil {
		return m.Finished.Attempt
	}
	return m.Failed.Attempt
}

// listen acts on the farm's messages until the connection ends or has been silent for too long.
func (s *session) listen(silence time.Duration) error {
	extend := func(string) error { return s.conn.SetReadDeadline(time.Now().Add(silence)) }
	s.conn.SetPongHandler(extend)
	for {
		if err := extend(""); err != nil {
			return fmt.Errorf("reading from the farm: %w", err)
		}
		m, err := s.read()
		if err != nil {
			return err
		}
		board := s.l.a.board
		switch {
		case m.Lease != nil:
			board.take(*m.Lease)
		case m.Cancel != nil:
			board.cancel(m.Cancel.Attempt, s.l.a.askedToEnd(*m.Cancel))
		case m.Settled != nil:
			board.forget(m.Settled.Attempt)
		case m.Trial != nil:
			s.trials.begin(*m.Trial)
		case m.Gossip != nil:
			s.l.a.heedGossip(*m.Gossip)
		case m.Coordinators != nil:
			s.l.a.heedCoordinators(m.Coordinators.Addresses)
		case m.Standing != nil:
			s.l.standing.Store(m.Standing)
		case m.Redirect != nil:
			return &redirected{leader: m.Redirect.Leader}
		}
	}
}
