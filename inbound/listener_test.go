package inbound_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/inbound"
	"overcrank/inbound/inboundtest"
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

func TestAShortageOfFilesDoesNotEndTheServer(t *testing.T) {
	inner := inboundtest.Listen(t)
	logs := &bytes.Buffer{}
	ln := inbound.Listen(&shortListener{inner, []error{syscall.EMFILE, syscall.ECONNABORTED, syscall.EMFILE}}, inbound.Bounds{Total: 10}, slog.New(slog.NewTextHandler(logs, nil)))
	inboundtest.Dial(t, inner)
	conn, err := ln.Accept()
	if err != nil {
		t.Fatalf("the listener gave up: %v", err)
	}
	conn.Close()
	if n := strings.Count(logs.String(), "could not be accepted"); n != 1 {
		t.Errorf("the log tells %d times of one shortage:\n%s", n, logs)
	}
	broken := errors.New("broken for good")
	if _, err := inbound.Listen(&shortListener{inner, []error{broken}}, inbound.Bounds{Total: 10}, slog.New(slog.DiscardHandler)).Accept(); !errors.Is(err, broken) {
		t.Errorf("an error that does not pass gives %v", err)
	}
}

func TestConnectionsBeyondTheMostWaitForTheirTurn(t *testing.T) {
	inner := inboundtest.Listen(t)
	ln := inbound.Listen(inner, inbound.Bounds{Total: 2}, slog.New(slog.DiscardHandler))
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
		inboundtest.Dial(t, inner)
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

// TestOneAddressAtItsBoundLeavesOthersRoom has one address open more connections than it may, which stay open, and a second one make requests
// meanwhile.
func TestOneAddressAtItsBoundLeavesOthersRoom(t *testing.T) {
	inner := inboundtest.Listen(t)
	logs := &bytes.Buffer{}
	gate := inbound.NewGate(8, 0)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(inbound.Listen(inner, inbound.Bounds{Total: 16, Gate: gate}, slog.New(slog.NewTextHandler(logs, nil))))
	}()
	for range 100 {
		inboundtest.Dial(t, inner)
	}
	for gate.Refused() < 92 {
		time.Sleep(time.Millisecond)
	}
	ask(t, inner.Addr().String(), "127.0.0.2")
	if gate.Refused() != 92 {
		t.Errorf("%d connections were refused, want 92 of the crowd's and none else", gate.Refused())
	}
	if gate.Open() < 8 || gate.Open() > 9 { // the other's last one may not have gone yet
		t.Errorf("%d connections are open", gate.Open())
	}
	server.Close()
	<-served
	if n := strings.Count(logs.String(), "--connections-per-address"); n != 1 {
		t.Errorf("the log tells %d times of one crowd:\n%s", n, logs)
	}
}

// ask makes several requests from an address of this machine, each over a connection of its own.
func ask(t *testing.T, to, from string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext,
	}}
	for range 9 {
		inboundtest.Promptly(t, func() {
			res, err := client.Get("http://" + to)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
		})
	}
}
