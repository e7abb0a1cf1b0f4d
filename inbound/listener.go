package inbound

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// acceptPause is the pause before another try to accept a connection, after the system was short of something, such as files.
	acceptPause = 100 * time.Millisecond
	// logEvery is how often a RareLog writes at most, so that a lasting shortage does not fill the log.
	logEvery = time.Minute
)

// Bounds say how many connections a port takes.
type Bounds struct {
	Total  int     // open at once; further ones wait to be accepted
	Gate   *Gate   // limits those of one address; further ones are closed at once
	Shared Proxies // addresses that many callers share, which the gate does not count
}

// Listen limits the connections of a listener, so that many callers do not use up the open files that the farm needs, and one address
// does not keep out the others. Temporary errors of Accept, such as too many open files, are logged and tried again: a server ends at
// any error of Accept.
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
	shortage RareLog
	crowding RareLog
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
			"address", Caller(remote), "open", l.bounds.Gate.PerCaller())
	}
	return leave, err
}

// wait waits until one more connection may be open, and reports false when the listener was closed meanwhile.
func (l *listener) wait() bool {
	select {
	case l.room <- struct{}{}:
		return true
	default:
	}
	l.shortage.Warn(l.logger, "all connections are in use; further ones wait", "open", cap(l.room))
	select {
	case l.room <- struct{}{}:
		return true
	case <-l.closed:
		return false
	}
}

// take accepts the next connection. After a temporary error it tries again.
func (l *listener) take() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		var shortage interface{ Temporary() bool }
		if err == nil || !errors.As(err, &shortage) || !shortage.Temporary() {
			return conn, err
		}
		l.shortage.Warn(l.logger, "a connection could not be accepted; trying again", "error", err)
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

// countedConn is a connection that is counted until it is closed.
type countedConn struct {
	net.Conn
	release func()
	lingers atomic.Bool
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	defer c.release()
	if c.lingers.Swap(false) {
		linger(c.Conn)
	}
	return c.Conn.Close()
}

// RareLog logs an event that callers can cause as often as they like: once a minute at most, with how often it happened in between. The
// zero value is ready for use. It is safe for concurrent use.
type RareLog struct {
	mu     sync.Mutex
	said   time.Time
	silent int
}

// Warn logs a warning, or only counts it when the last one is less than a minute ago.
func (s *RareLog) Warn(logger *slog.Logger, what string, attrs ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.said) < logEvery {
		s.silent++
		return
	}
	if s.silent > 0 {
		attrs = append(attrs, "more_before", s.silent)
	}
	s.said, s.silent = time.Now(), 0
	logger.Warn(what, attrs...)
}
