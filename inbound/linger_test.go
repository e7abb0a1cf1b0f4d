package inbound_test

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/inbound"
)

// sendingConn is a connection whose caller sends on while it is answered.
type sendingConn struct {
	net.Conn // nil: nothing else is asked of it
	still    io.Reader
	did      []string
}

func (c *sendingConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
func (c *sendingConn) SetReadDeadline(time.Time) error {
	c.did = append(c.did, "bounds its reads")
	return nil
}
func (c *sendingConn) CloseWrite() error { c.did = append(c.did, "writes no more"); return nil }
func (c *sendingConn) Close() error      { c.did = append(c.did, "closes"); return nil }
func (c *sendingConn) Read(p []byte) (int, error) {
	n, err := c.still.Read(p)
	if err == io.EOF {
		c.did = append(c.did, "has read all")
	}
	return n, err
}

// oneListener accepts one connection.
type oneListener struct{ conn net.Conn }

func (l *oneListener) Accept() (net.Conn, error) { return l.conn, nil }
func (l *oneListener) Close() error              { return nil }
func (l *oneListener) Addr() net.Addr            { return l.conn.RemoteAddr() }

func TestAConnectionThatLingersIsReadOnBeforeItCloses(t *testing.T) {
	for name, c := range map[string]struct {
		ends func(net.Conn)
		want []string
	}{
		"as any":                  {func(net.Conn) {}, []string{"closes"}},
		"lingering":               {inbound.Linger, []string{"writes no more", "bounds its reads", "has read all", "closes"}},
		"lingering below TLS":     {func(conn net.Conn) { inbound.Linger(tls.Server(conn, &tls.Config{})) }, []string{"writes no more", "bounds its reads", "has read all", "closes"}},
		"of another kind is left": {func(net.Conn) { inbound.Linger(&net.TCPConn{}) }, []string{"closes"}},
	} {
		t.Run(name, func(t *testing.T) {
			caller := &sendingConn{still: strings.NewReader(strings.Repeat("x", 100_000))}
			conn, err := inbound.Listen(&oneListener{caller}, inbound.Bounds{Total: 1, Gate: inbound.NewGate(1, 0)}, slog.New(slog.DiscardHandler)).Accept()
			if err != nil {
				t.Fatal(err)
			}
			c.ends(conn)
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(caller.did, c.want) {
				t.Errorf("it %s; want %s", strings.Join(caller.did, ", "), strings.Join(c.want, ", "))
			}
		})
	}
}
