package gossip

import (
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"sync"

	"github.com/hashicorp/memberlist"

	"overcrank/inbound"
)

const (
	// streamsEach and streamsAll are how many streams members may have open at once: of one address, and together. A stream carries the
	// state of one pool, both ways, and is over in milliseconds; memberlist ends it after TCPTimeout.
	streamsEach = 16
	streamsAll  = 64
	// maxStream is what a member may send in a stream, in bytes. memberlist keeps all of it in memory before it knows whether the
	// sender has a key. A member is described by some 500 bytes, half of which compression saves.
	maxStream = 2 << 20
	// maxHeld is the same for all streams of one address that are open at once.
	maxHeld = 8 << 20
	// tryPorts is how often a free port is looked for that is free for both TCP and UDP.
	tryPorts = 10
)

// errStream marks a stream that brings more than a pool can have to say.
var errStream = fmt.Errorf("a stream of gossip brings more than %d bytes, or all of its address more than %d", maxStream, maxHeld)

// transport is memberlist's own, save that it bounds what strangers can have it keep.
type transport struct {
	*memberlist.NetTransport
	gate    *inbound.Gate
	logger  *slog.Logger
	crowded inbound.Seldom
	streams chan net.Conn
	once    sync.Once
	over    chan struct{}
	pump    sync.WaitGroup
	held    *inbound.Gate // bytes that streams have brought
}

// openTransport listens; port 0 takes a free one.
func openTransport(host string, port int, gate *inbound.Gate, logger *slog.Logger) (*transport, error) {
	cfg := &memberlist.NetTransportConfig{BindAddrs: []string{host}, BindPort: port, Logger: log.New(logWriter{logger}, "", 0)}
	under, err := memberlist.NewNetTransport(cfg)
	for try := 1; err != nil && port == 0 && try < tryPorts; try++ {
		under, err = memberlist.NewNetTransport(cfg)
	}
	if err != nil {
		return nil, err
	}
	t := &transport{
		NetTransport: under, gate: gate, logger: logger,
		streams: make(chan net.Conn), over: make(chan struct{}), held: inbound.NewGate(maxHeld, 0),
	}
	t.pump.Go(t.admit)
	return t, nil
}

// StreamCh implements memberlist.Transport.
func (t *transport) StreamCh() <-chan net.Conn { return t.streams }

// admit hands on the streams that may be.
func (t *transport) admit() {
	for {
		select {
		case <-t.over:
			return
		case conn := <-t.NetTransport.StreamCh():
			caller := inbound.Caller(conn.RemoteAddr().String())
			leave, err := t.gate.Enter(caller)
			if err != nil {
				t.crowded.Warn(t.logger, "a stream of gossip was closed: too many are open", "address", caller, "error", err)
				_ = conn.Close()
				continue
			}
			s := &stream{Conn: conn, of: t, caller: caller, leave: leave}
			select {
			case t.streams <- s:
			case <-t.over:
				_ = s.Close()
			}
		}
	}
}

// Shutdown implements memberlist.Transport.
func (t *transport) Shutdown() (err error) {
	t.once.Do(func() {
		err = t.NetTransport.Shutdown() // which waits until what it has taken is taken from it
		close(t.over)
		t.pump.Wait()
	})
	return err
}

// stream is a member's connection. It is read by one goroutine, and may be closed by another.
type stream struct {
	net.Conn
	of     *transport
	caller string
	leave  func()

	mu      sync.Mutex
	brought int
	closed  bool
}

// Read implements net.Conn.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n == 0 || s.closed {
		return n, err
	}
	tooMuch := s.of.held.Take(s.caller, n) != nil
	if !tooMuch {
		s.brought += n
	}
	if tooMuch || s.brought > maxStream {
		s.of.crowded.Warn(s.of.logger, "a stream of gossip was cut off", "address", s.caller, "error", errStream)
		return 0, errors.Join(errStream, err)
	}
	return n, err
}

// Close implements net.Conn.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.of.held.Give(s.caller, s.brought)
		s.leave()
	}
	return s.Conn.Close()
}
