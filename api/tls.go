package api

import (
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

const (
	// tlsHandshake is the first byte of whatever begins TLS: a record that holds a message of the handshake (RFC 8446, 5.1). No
	// method of HTTP begins with it.
	tlsHandshake = 0x16
	// handshakeTimeout is how long whoever begins TLS may take until requests can be sent.
	handshakeTimeout = 10 * time.Second
)

// TLS makes a listener on which both TLS and plain HTTP are spoken: the first byte of a connection tells them apart. What it
// accepts has been recognised, and has its handshake behind it, so that nobody who is slow or silent holds up the others.
// Connections of TLS are *tls.Conn. It ends when ln does, with all connections that were not accepted yet.
func TLS(ln net.Listener, config *tls.Config, logger *slog.Logger) net.Listener {
	d := &door{Listener: ln, config: config, logger: logger, ready: make(chan net.Conn), ended: make(chan struct{}), waiting: map[net.Conn]bool{}}
	go d.run()
	return d
}

// door recognises what is spoken on connections.
type door struct {
	net.Listener
	config *tls.Config
	logger *slog.Logger
	ready  chan net.Conn
	ended  chan struct{} // closed when run has ended
	why    error         // run ended; read behind ended

	mu      sync.Mutex
	closed  bool
	waiting map[net.Conn]bool // whose handshake has not ended
	work    sync.WaitGroup
}

// run takes connections until the listener ends.
func (d *door) run() {
	defer close(d.ended)
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			d.why = err
			d.hangUp()
			return
		}
		if !d.keep(conn) {
			continue
		}
		d.work.Go(func() { d.receive(conn) })
	}
}

// hangUp ends all connections that were not accepted, and waits for those who have them in hand.
func (d *door) hangUp() {
	d.mu.Lock()
	d.closed = true
	for conn := range d.waiting {
		_ = conn.Close() // whoever reads it learns of it
	}
	d.mu.Unlock()
	for done := d.idle(); ; {
		select {
		case conn := <-d.ready:
			_ = conn.Close()
		case <-done:
			return
		}
	}
}

// idle is closed when no connection is in hand any more.
func (d *door) idle() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.work.Wait()
	}()
	return done
}

func (d *door) keep(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		_ = conn.Close()
		return false
	}
	d.waiting[conn] = true
	return true
}

// receive recognises one connection and hands it on.
func (d *door) receive(conn net.Conn) {
	known, err := d.recognise(conn)
	d.mu.Lock()
	delete(d.waiting, conn)
	d.mu.Unlock()
	if err != nil {
		d.logger.Debug("a connection came to nothing", "remote", conn.RemoteAddr(), "error", err)
		_ = conn.Close()
		return
	}
	d.ready <- known
}

func (d *door) recognise(conn net.Conn) (net.Conn, error) {
	if err := conn.SetReadDeadline(time.Now().Add(readTimeout)); err != nil {
		return nil, err
	}
	seen := &seenConn{Conn: conn}
	if _, err := conn.Read(seen.first[:]); err != nil {
		return nil, err
	}
	if seen.first[0] != tlsHandshake {
		return seen, conn.SetReadDeadline(time.Time{})
	}
	if err := conn.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return nil, err
	}
	secure := tls.Server(seen, d.config)
	if err := secure.Handshake(); err != nil {
		return nil, err
	}
	return secure, conn.SetDeadline(time.Time{})
}

// Accept implements net.Listener.
func (d *door) Accept() (net.Conn, error) {
	select {
	case conn := <-d.ready:
		return conn, nil
	case <-d.ended:
		return nil, d.why
	}
}

// Close implements net.Listener.
func (d *door) Close() error {
	err := d.Listener.Close()
	<-d.ended
	return err
}

// seenConn gives the first byte again that was looked at. It is read by one goroutine at a time.
type seenConn struct {
	net.Conn
	first [1]byte
	given bool
}

// Read implements net.Conn.
func (c *seenConn) Read(p []byte) (int, error) {
	if c.given || len(p) == 0 {
		return c.Conn.Read(p)
	}
	c.given = true
	return copy(p, c.first[:]), nil
}

// NetConn is the connection that was looked at.
func (c *seenConn) NetConn() net.Conn { return c.Conn }

// tlsOnly refuses plain HTTP, except from this machine.
func tlsOnly(c *fiber.Ctx) error {
	if c.Context().IsTLS() || c.Context().RemoteIP().IsLoopback() {
		return c.Next()
	}
	return farm.Errorf(farm.CodeForbidden, "this farm takes no plain HTTP: use https:// with the same host and port")
}
