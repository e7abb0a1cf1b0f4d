package api_test

import (
	"errors"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/api"
)

// shortListener is a listener whose system is short of something for a while.
type shortListener struct {
	net.Listener
	failures []error
}

func (l *shortListener) Accept() (net.Conn, error) {
	if len(l.failures) > 0 {
		err := l.failures[0]
		l.failures = l.failures[1:]
		return nil, &net.OpError{Op: "accept", Err: err}
	}
	return l.Listener.Accept()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

func dial(t *testing.T, ln net.Listener) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestAShortageOfFilesDoesNotEndTheServer(t *testing.T) {
	inner := listen(t)
	logs := &safeBuffer{}
	ln := api.Listener(&shortListener{inner, []error{syscall.EMFILE, syscall.ECONNABORTED, syscall.EMFILE}}, 10, slog.New(slog.NewTextHandler(logs, nil)))
	dial(t, inner)
	conn, err := ln.Accept()
	if err != nil {
		t.Fatalf("the listener gave up: %v", err)
	}
	conn.Close()
	if n := strings.Count(logs.String(), "could not be taken"); n != 1 {
		t.Errorf("the log tells %d times of one shortage:\n%s", n, logs)
	}
	broken := errors.New("broken for good")
	if _, err := api.Listener(&shortListener{inner, []error{broken}}, 10, slog.New(slog.DiscardHandler)).Accept(); !errors.Is(err, broken) {
		t.Errorf("an error that does not pass gives %v", err)
	}
}

func TestConnectionsBeyondTheMostWaitForTheirTurn(t *testing.T) {
	inner := listen(t)
	ln := api.Listener(inner, 2, slog.New(slog.DiscardHandler))
	accepted := make(chan net.Conn)
	ended := make(chan error, 1)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- conn
		}
	}()
	for range 3 {
		dial(t, inner)
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Fatal("a third connection was taken while two are open")
	case <-time.After(50 * time.Millisecond):
	}
	first.Close()
	first.Close() // makes room once
	third := <-accepted
	select {
	case <-accepted:
		t.Fatal("a connection was taken that nobody made")
	case <-time.After(20 * time.Millisecond):
	}
	ln.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed listener ends with %v", err)
	}
	second.Close()
	third.Close()
}
