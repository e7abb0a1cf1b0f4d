//go:build unix

package runner

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// failing is a listener whose first attempts to take a connection fail.
type failing struct {
	net.Listener
	left atomic.Int32
}

func (f *failing) Accept() (net.Conn, error) {
	if f.left.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Net: "unix", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return f.Listener.Accept()
}

// listening has a service take connections at a socket.
func listening(t *testing.T, failures int32) (s *Sessions, socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "runner") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	socket = filepath.Join(dir, "socket")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	s = Open(Config{Version: "1", Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	f := &failing{Listener: ln}
	f.left.Store(failures)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.accept(ctx, f) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, s.console.Close(), os.RemoveAll(dir)); err != nil {
			t.Error(err)
		}
	})
	return s, socket
}

func connect(t *testing.T, socket string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestAConnectionThatCannotBeTakenIsNotTheLast: a service that is out of files for a moment goes on with runners afterwards.
func TestAConnectionThatCannotBeTakenIsNotTheLast(t *testing.T) {
	t.Parallel()
	_, socket := listening(t, 2)
	conn := connect(t, socket)
	l := newLine(conn)
	if err := l.tell(kindHello, 0, hello{Protocol: protocol, Version: "1"}); err != nil {
		t.Fatal(err)
	}
	if f, err := l.receive(); err != nil || f.kind != kindWelcome {
		t.Errorf("it is answered with %v, %v", f.kind, err)
	}
}

// TestAnAccountHasFewConnections, so that none keeps the others' runners out.
func TestAnAccountHasFewConnections(t *testing.T) {
	t.Parallel()
	s, socket := listening(t, 0)
	for range maxOfAccount {
		connect(t, socket)
	}
	if _, err := connect(t, socket).Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("one more is answered with %v", err)
	}
	own := os.Geteuid()
	if !s.room(own + 1) {
		t.Error("another account has no room")
	}
	s.left(own + 1)
	others := 0
	for uid := range 2 * maxConnections {
		if s.room(own + 1 + uid) {
			others++
		}
	}
	if others > maxConnections { // those of this account may be gone by now: they have said nothing
		t.Error("there is room without end")
	}
}
