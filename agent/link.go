package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"overcrank/agent/farmclient"
	"overcrank/farm/wire"
	"overcrank/interval"
)

const (
	maxMessage    = 32 << 20               // bytes of a frame: a lease carries a job's assets
	writeTime     = 20 * time.Second       // for one frame
	answerTime    = 20 * time.Second       // for the answer to Hello
	tellEvery     = 200 * time.Millisecond // at least between two messages of attempts
	repeatReports = 10 * time.Second
	minSilence    = 10 * time.Second // of the farm, at least, before the link counts as dead
	// Where the farm has other coordinators, a silent one is left sooner.
	pulse       = time.Second // between pings
	fewSilences = 4 * time.Second
	fewAnswers  = 8 * time.Second // to Hello; a coordinator that waits to hear who leads answers within that
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
	away     atomic.Bool // no coordinator that this agent can work for could be reached lately
	linked   atomic.Bool // the farm has welcomed this agent, and the connection has not ended
	// updatesOnly: the farm speaks another version of the protocol, and the connection has not ended.
	updatesOnly atomic.Bool
	standing    atomic.Pointer[wire.Standing]
	updating    atomic.Pointer[wire.Updating] // what the farm was told last of releases; nil for nothing
	trouble     atomic.Pointer[string]        // why there is no link; "" while nobody knows of a reason
}

func newLink(a *agent) *link {
	l := &link{a: a, began: time.Now(), wake: make(chan struct{}, 1)}
	l.standing.Store(&wire.Standing{})
	l.a.keepFarmHours("") // until this session says otherwise, which a coordinator that has set none does not
	l.troubled(nil)
	return l
}

// troubled notes why there is no link, for people at the machine; nil for no reason.
func (l *link) troubled(why error) {
	words := ""
	if why != nil {
		words = why.Error()
	}
	l.trouble.Store(&words)
}

// toldUpdating is what the farm was told last of what the machine runs.
func (l *link) toldUpdating() wire.Updating {
	if told := l.updating.Load(); told != nil {
		return *told
	}
	return wire.Updating{}
}

// nudge tells the link that there is something to send.
func (l *link) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// flush waits a little for the farm to take the reports that wait.
func (l *link) flush(patience time.Duration) {
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
		l.away.Store(unreachable(err))
		if errors.Is(err, errRefused) || l.authorityChanged(err) {
			if interval.Wait(ctx, l.turnedAway(ctx, err)) != nil {
				return
			}
			continue
		}
		if time.Since(started) > pause.Bound() {
			pause = farmclient.NewBackoff() // the link had held
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
	has := l.a.inventory.now()
	hello := wire.Hello{Version: l.a.cfg.Protocol, Name: l.a.cfg.Name, Inventory: has.hash, Holding: l.a.slots.holding(), UpSeconds: time.Since(l.began).Seconds()}
	if err := s.write(wire.Message{Hello: &hello}); err != nil {
		return err
	}
	welcome, err := s.welcome()
	if other := (*otherVersion)(nil); errors.As(err, &other) {
		return s.awaitUpdate(ctx, other)
	}
	if err != nil {
		return err
	}
	l.a.farm.Welcomed()
	l.a.joined()
	l.a.welcomedBy(welcome)
	for _, at := range welcome.Drop {
		l.a.slots.settle(at)
	}
	l.welcome.Do(func() { close(l.a.welcomed) })
	if !welcome.WantInventory {
		s.known = has.hash
	}
	l.a.log.Info("linked to the farm", "coordinator", l.a.farm.Address())
	l.standing.Store(&wire.Standing{})
	l.troubled(nil)
	l.away.Store(false)
	l.linked.Store(true)
	defer l.linked.Store(false)
	return s.run(ctx, welcome.HeartbeatSeconds)
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
