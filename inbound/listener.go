package inbound

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"
)

const (
	// acceptPause is between two tries to take a connection while the system has no room for one.
	acceptPause = 100 * time.Millisecond
	// complainEvery keeps a lasting shortage from filling the log.
	complainEvery = time.Minute
)

// Bounds say how many connections a port takes.
type Bounds struct {
	Total  int     // at once; the others wait to be taken
	Gate   *Gate   // counts those of each address; one that has too many is closed at once
	Shared Proxies // addresses that many callers share: the gate does not look at them
}

// Listen makes a listener fit to be served from: it holds its callers to bounds, so that a crowd leaves the farm the files it needs and one
// address leaves the others room; and a shortage that passes does not end the server, as any error of Accept would.
func Listen(ln net.Listener, b Bounds, logger *slog.Logger) net.Listener {
	return &listener{Listener: ln, bounds: b, logger: logger, room: make(chan struct{}, b.Total), closed: make(chan struct{})}
}

type listener struct {
	net.Listener
	bounds   Bounds
	logger   *slog.Logger
	room     chan struct{} // holds one element per open connection
	once     sync.Once
	closed   chan struct{}
	shortage Seldom
	crowding Seldom
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	if !l.wait() {
		return nil, net.ErrClosed
	}
	for {
		conn, err := l.take()
		if err != nil {
			<-l.room
			return nil, err
		}
		leave, err := l.enter(conn)
		if err != nil {
			_ = conn.Close()
			continue
		}
		return &countedConn{Conn: conn, release: sync.OnceFunc(func() { leave(); <-l.room })}, nil
	}
}

// enter counts a connection as one of its address.
func (l *listener) enter(conn net.Conn) (leave func(), err error) {
	remote := conn.RemoteAddr().String()
	if l.bounds.Shared.Has(remote) {
		return func() {}, nil
	}
	leave, err = l.bounds.Gate.Enter(Caller(remote))
	if err != nil {
		l.crowding.Warn(l.logger, "an address has as many connections open as one may have; further ones are closed. "+
			"Raise --connections-per-address, or name it with --trusted-proxy when many callers share it",
			"address", Caller(remote), "open", l.bounds.Gate.Each())
	}
	return leave, err
}

// wait waits for room for one more connection; false when the listener was closed before.
func (l *listener) wait() bool {
	select {
	case l.room <- struct{}{}:
		return true
	default:
	}
	l.shortage.Warn(l.logger, "no more connections are taken until one of them ends", "open", cap(l.room))
	select {
	case l.room <- struct{}{}:
		return true
	case <-l.closed:
		return false
	}
}

// take takes the next connection, however long the system is short of something.
func (l *listener) take() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		var shortage interface{ Temporary() bool }
		if err == nil || !errors.As(err, &shortage) || !shortage.Temporary() {
			return conn, err
		}
		l.shortage.Warn(l.logger, "a connection could not be taken; it is tried again", "error", err)
		select {
		case <-l.closed:
			return nil, net.ErrClosed
		case <-time.After(acceptPause):
		}
	}
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// countedConn makes room when it is closed.
type countedConn struct {
	net.Conn
	release func()
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// Seldom tells the log of what callers can make happen as often as they like: once a minute, with how often it happened meanwhile. The zero
// value is ready, and may be used by many goroutines at once.
type Seldom struct {
	mu     sync.Mutex
	said   time.Time
	silent int
}

// Warn writes a line, or counts it.
func (s *Seldom) Warn(logger *slog.Logger, what string, attrs ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.said) < complainEvery {
		s.silent++
		return
	}
	if s.silent > 0 {
		attrs = append(attrs, "more_before", s.silent)
	}
	s.said, s.silent = time.Now(), 0
	logger.Warn(what, attrs...)
}
