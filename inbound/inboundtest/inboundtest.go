// Package inboundtest gives tests of listeners one of this machine, and connections to it, which end with the test.
package inboundtest

import (
	"net"
	"testing"
)

// Listen listens at a port of this machine that the system chose.
func Listen(t testing.TB) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() }) // which the test may have done
	return ln
}

// Dial connects to a listener.
func Dial(t testing.TB, ln net.Listener) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // likewise
	return conn
}
