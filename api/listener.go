package api

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

// Listener makes a listener fit to be served from: at most so many connections are open at once, the others wait to be
// taken, so that a crowd leaves the farm the files it needs; and a shortage that passes does not end the server, as any
// error of Accept would.
func Listener(ln net.Listener, most int, logger *slog.Logger) net.Listener {
	return &listener{Listener: ln, logger: logger, room: make(chan struct{}, most), closed: make(chan struct{})}
}

type listener struct {
	net.Listener
	logger *slog.Logger
	room   chan struct{} // holds one element per open connection
	once   sync.Once
	closed chan struct{}
	said   time.Time // when the log was last told of a shortage; Accept is called by one goroutine
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	if !l.wait() {
		return nil, net.ErrClosed
	}
	conn, err := l.take()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &countedConn{Conn: conn, release: sync.OnceFunc(func() { <-l.room })}, nil
}

// wait waits for room for one more connection; false when the listener was closed before.
func (l *listener) wait() bool {
	select {
	case l.room <- struct{}{}:
		return true
	default:
	}
	l.complain("no more connections are taken until one of them ends", "open", cap(l.room))
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
		l.complain("a connection could not be taken; it is tried again", "error", err)
		select {
		case <-l.closed:
			return nil, net.ErrClosed
		case <-time.After(acceptPause):
		}
	}
}

func (l *listener) complain(what string, attrs ...any) {
	if time.Since(l.said) > complainEvery {
		l.logger.Warn(what, attrs...)
		l.said = time.Now()
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
