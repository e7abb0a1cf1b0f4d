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
	// streamsPerAddress and maxStreams limit the streams that are open at once, from one address and in all. In a stream two members
	// exchange their lists of members, which takes milliseconds; memberlist closes it after TCPTimeout.
	streamsPerAddress = 16
	maxStreams        = 64
	// maxStreamBytes limits what is received in one stream, in bytes: memberlist keeps all of it in memory before it knows whether the
	// sender has a key. The description of a member takes about 500 bytes, and half of that compressed.
	maxStreamBytes = 2 << 20
	// maxAddressBytes is the same limit for all open streams from one address.
	maxAddressBytes = 8 << 20
	// portTries is how often a port is chosen until it is free for TCP and for UDP.
	portTries = 10
)

// errStream is the error of a stream that sends more than the list of a pool can take.
var errStream = fmt.Errorf("a gossip stream sent more than %d bytes, or those of its address more than %d", maxStreamBytes, maxAddressBytes)

// transport is memberlist's NetTransport with limits on what callers without a key can make it hold.
type transport struct {
	*memberlist.NetTransport
	gate      *inbound.Gate // counts open streams
	received  *inbound.Gate // counts bytes received in open streams
	logger    *slog.Logger
	limitLog  inbound.RareLog
	streams   chan net.Conn // that were admitted
	once      sync.Once
	closed    chan struct{}
	admitting sync.WaitGroup
}

// openTransport listens on host and port; port 0 is any free one.
func openTransport(host string, port int, gate *inbound.Gate, logger *slog.Logger) (*transport, error) {
	cfg := &memberlist.NetTransportConfig{BindAddrs: []string{host}, BindPort: port, Logger: log.New(logWriter{logger}, "", 0)}
	under, err := memberlist.NewNetTransport(cfg)
	for try := 1; err != nil && port == 0 && try < portTries; try++ {
		under, err = memberlist.NewNetTransport(cfg)
	}
	if err != nil {
		return nil, err
	}
	t := &transport{
		NetTransport: under, gate: gate, received: inbound.NewGate(maxAddressBytes, 0), logger: logger,
		streams: make(chan net.Conn), closed: make(chan struct{}),
	}
	t.admitting.Go(t.admit)
	return t, nil
}

// StreamCh implements memberlist.Transport.
func (t *transport) StreamCh() <-chan net.Conn { return t.streams }

// admit passes on the streams that are within the limits, and closes the others.
func (t *transport) admit() {
	for {
		select {
		case <-t.closed:
			return
		case conn := <-t.NetTransport.StreamCh():
			caller := inbound.Caller(conn.RemoteAddr().String())
			leave, err := t.gate.Enter(caller)
			if err != nil {
				t.limitLog.Warn(t.logger, "closed a gossip stream: too many are open", "address", caller, "error", err)
				_ = conn.Close()
				continue
			}
			s := &stream{Conn: conn, transport: t, caller: caller, leave: leave}
			select {
			case t.streams <- s:
			case <-t.closed:
				_ = s.Close()
			}
		}
	}
}

// Shutdown implements memberlist.Transport.
func (t *transport) Shutdown() (err error) {
	t.once.Do(func() {
		err = t.NetTransport.Shutdown() // which waits until admit has received its last stream
		close(t.closed)
		t.admitting.Wait()
	})
	return err
}

// stream is a member's connection. One goroutine reads it; another may close it.
type stream struct {
	net.Conn
	transport *transport
	caller    string
	leave     func() // gives back what it took of the gate

	mu       sync.Mutex
	received int // bytes
	closed   bool
}

// Read implements net.Conn.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n == 0 || s.closed {
		return n, err
	}
	tooMuch := s.transport.received.Take(s.caller, n) != nil
	if !tooMuch {
		s.received += n
	}
	if tooMuch || s.received > maxStreamBytes {
		s.transport.limitLog.Warn(s.transport.logger, "closed a gossip stream", "address", s.caller, "error", errStream)
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
		s.transport.received.Give(s.caller, s.received)
		s.leave()
	}
	return s.Conn.Close()
}
