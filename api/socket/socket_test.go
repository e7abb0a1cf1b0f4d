package socket_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"overcrank/api/socket"
)

func TestMain(m *testing.M) {
	// fasthttp keeps one goroutine for the Date header, and each server's cleaner sleeps up to 10 s past its end.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

const patience = 2 * time.Minute

// server is a Fiber application on a real port whose only route is a socket.
type server struct {
	hub  *socket.Hub
	addr string
	tls  *tls.Config // of a client, nil without TLS
}

func serve(t *testing.T, withTLS bool, opt socket.Options, handle func(context.Context, *socket.Conn) error) *server {
	t.Helper()
	s := &server{hub: socket.NewHub(slog.New(slog.DiscardHandler))}
	app := fiber.New(fiber.Config{DisableStartupMessage: true, Immutable: true, IdleTimeout: 5 * time.Second})
	app.Server().KeepHijackedConns = true
	app.Get("/ws", func(c *fiber.Ctx) error {
		c.Set("X-Request-Id", "named")
		return s.hub.Serve(c, opt, handle)
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = ln.Addr().String()
	if withTLS {
		server, client := certificates(t)
		ln, s.tls = tls.NewListener(ln, server), client
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.hub.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := app.ShutdownWithTimeout(patience); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return s
}

func certificates(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "farm"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: pool}
}

func (s *server) dial(header http.Header) (*websocket.Conn, *http.Response, error) {
	scheme := "ws"
	if s.tls != nil {
		scheme = "wss"
	}
	d := websocket.Dialer{TLSClientConfig: s.tls, HandshakeTimeout: patience}
	return d.Dial(scheme+"://"+s.addr+"/ws", header)
}

func (s *server) open(t *testing.T) *websocket.Conn {
	t.Helper()
	ws, res, err := s.dial(nil)
	if err != nil {
		t.Fatal(err)
	}
	if id := res.Header.Get("X-Request-Id"); id != "named" {
		t.Errorf("the handshake's answer carries the request id %q, want %q", id, "named")
	}
	t.Cleanup(func() { ws.Close() })
	if err := ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return ws
}

func echo(_ context.Context, c *socket.Conn) error {
	for message := range c.Messages() {
		if err := c.Write(message); err != nil {
			return err
		}
	}
	return nil
}

func eachTransport(t *testing.T, test func(t *testing.T, withTLS bool)) {
	t.Run("plain", func(t *testing.T) { test(t, false) })
	t.Run("tls", func(t *testing.T) { test(t, true) })
}

func TestMessagesTravelBothWaysInOrder(t *testing.T) {
	eachTransport(t, func(t *testing.T, withTLS bool) {
		ws := serve(t, withTLS, socket.Options{}, echo).open(t)
		for _, word := range []string{"one", "two", strings.Repeat("x", 100_000)} {
			if err := ws.WriteMessage(websocket.TextMessage, []byte(word)); err != nil {
				t.Fatal(err)
			}
			if _, got, err := ws.ReadMessage(); err != nil || string(got) != word {
				t.Fatalf("got %d bytes and %v, want the %d bytes that were sent", len(got), err, len(word))
			}
		}
	})
}

func TestTheSocketEndsWhenItsHandlerReturns(t *testing.T) {
	eachTransport(t, func(t *testing.T, withTLS bool) {
		ws := serve(t, withTLS, socket.Options{}, func(_ context.Context, c *socket.Conn) error {
			return c.Write([]byte("bye"))
		}).open(t)
		if _, got, err := ws.ReadMessage(); err != nil || string(got) != "bye" {
			t.Fatalf("got %q and %v, want the handler's last words", got, err)
		}
		if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
			t.Fatalf("got %v, want a normal close", err)
		}
		// The connection itself has ended too, not only the protocol on it.
		if _, err := ws.NetConn().Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Fatalf("reading the connection gives %v, want EOF", err)
		}
	})
}

func TestClosingTheHubSendsGoingAwayAndWaitsForHandlers(t *testing.T) {
	eachTransport(t, func(t *testing.T, withTLS bool) {
		began, ended := make(chan struct{}), make(chan struct{})
		s := serve(t, withTLS, socket.Options{}, func(ctx context.Context, _ *socket.Conn) error {
			close(began)
			defer close(ended)
			<-ctx.Done()
			return ctx.Err()
		})
		ws := s.open(t)
		<-began
		closed := make(chan error, 1)
		go func() { closed <- s.hub.Close(t.Context()) }()
		if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
			t.Fatalf("got %v, want going away", err)
		}
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
		default:
			t.Fatal("Close returned while the handler still ran")
		}
		if n := s.hub.Len(); n != 0 {
			t.Fatalf("%d sockets are open after Close", n)
		}
		if _, res, err := s.dial(nil); err == nil || res == nil || res.StatusCode != http.StatusServiceUnavailable {
			t.Fatalf("a new socket after Close gives %v and %v, want 503", res, err)
		}
	})
}

func TestAPeerThatDoesNotAnswerTheGoodbyeIsCutOff(t *testing.T) {
	s := serve(t, false, socket.Options{}, func(ctx context.Context, _ *socket.Conn) error {
		<-ctx.Done()
		return nil
	})
	s.open(t) // never reads, so never answers
	if err := s.hub.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAPeerThatVanishesEndsTheHandler(t *testing.T) {
	ended := make(chan error, 1)
	s := serve(t, false, socket.Options{PingEvery: 10 * time.Millisecond, PongWait: 50 * time.Millisecond},
		func(ctx context.Context, _ *socket.Conn) error {
			<-ctx.Done()
			ended <- ctx.Err()
			return nil
		})
	s.open(t) // does not read, so answers no ping: as silent as a machine without power
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the handler of a silent peer still runs")
	}
}

func TestPingsKeepAQuietSocketOpen(t *testing.T) {
	opt := socket.Options{PingEvery: 10 * time.Millisecond, PongWait: patience}
	ws := serve(t, false, opt, echo).open(t)
	pings := make(chan struct{}, 5)
	ws.SetPingHandler(func(data string) error {
		select {
		case pings <- struct{}{}:
		default:
		}
		return ws.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(patience))
	})
	read := make(chan error, 1)
	go func() { _, _, err := ws.ReadMessage(); read <- err }()
	for range 5 {
		select {
		case <-pings:
		case err := <-read:
			t.Fatalf("the socket ended: %v", err)
		case <-time.After(patience):
			t.Fatal("no ping came")
		}
	}
	if err := ws.WriteMessage(websocket.TextMessage, []byte("still here")); err != nil {
		t.Fatal(err)
	}
	if err := <-read; err != nil {
		t.Fatal(err)
	}
}

func TestAMessageOverTheLimitEndsTheSocket(t *testing.T) {
	ws := serve(t, false, socket.Options{ReadLimit: 100}, echo).open(t)
	if err := ws.WriteMessage(websocket.TextMessage, make([]byte, 101)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
		t.Fatalf("got %v, want message too big", err)
	}
}

// TestCompressedMessages has a browser's way of sending, and a message that is over the limit only once it is unpacked.
func TestCompressedMessages(t *testing.T) {
	s := serve(t, false, socket.Options{ReadLimit: 100_000}, echo)
	ws, res, err := (&websocket.Dialer{EnableCompression: true, HandshakeTimeout: patience}).Dial("ws://"+s.addr+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	if err := ws.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if agreed := res.Header.Get("Sec-Websocket-Extensions"); !strings.HasPrefix(agreed, "permessage-deflate") {
		t.Fatalf("the extensions are %q", agreed)
	}
	word := strings.Repeat("frame ", 10_000)
	if err := ws.WriteMessage(websocket.TextMessage, []byte(word)); err != nil {
		t.Fatal(err)
	}
	if _, got, err := ws.ReadMessage(); err != nil || string(got) != word {
		t.Fatalf("got %d bytes and %v, want the %d bytes that were sent", len(got), err, len(word))
	}
	if err := ws.WriteMessage(websocket.TextMessage, make([]byte, 200_000)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
		t.Fatalf("got %v, want message too big", err)
	}
}

func TestASlowPeerIsNoticedRatherThanWaitedFor(t *testing.T) {
	ended := make(chan error, 1)
	s := serve(t, false, socket.Options{WriteTimeout: 50 * time.Millisecond, Queue: 4}, func(_ context.Context, c *socket.Conn) error {
		message := make([]byte, 1<<20)
		for {
			if err := c.Write(message); err != nil {
				ended <- err
				return err
			}
		}
	})
	s.open(t) // never reads
	select {
	case err := <-ended:
		if !errors.Is(err, socket.ErrClosed) {
			t.Fatalf("Write gives %v, want ErrClosed", err)
		}
	case <-time.After(patience):
		t.Fatal("Write still waits for a peer that does not read")
	}
}

func TestAPanicInAHandlerEndsOnlyItsSocket(t *testing.T) {
	s := serve(t, false, socket.Options{}, func(_ context.Context, c *socket.Conn) error {
		if string(<-c.Messages()) == "panic" {
			panic("as asked")
		}
		return c.Write([]byte("fine"))
	})
	first, second := s.open(t), s.open(t)
	if err := first.WriteMessage(websocket.TextMessage, []byte("panic")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := first.ReadMessage(); err == nil {
		t.Fatal("the socket outlived its handler's panic")
	}
	if err := second.WriteMessage(websocket.TextMessage, []byte("go on")); err != nil {
		t.Fatal(err)
	}
	if _, got, err := second.ReadMessage(); err != nil || string(got) != "fine" {
		t.Fatalf("got %q and %v from the other socket", got, err)
	}
}

func TestHandshakesThatAreRefused(t *testing.T) {
	s := serve(t, false, socket.Options{Origins: []string{"https://studio.example"}}, echo)
	for name, test := range map[string]struct {
		header http.Header
		want   int
	}{
		"page of another site": {http.Header{"Origin": {"https://evil.example"}}, http.StatusForbidden},
		"no page at all":       {http.Header{"Origin": {"null"}}, http.StatusForbidden},
		"page of this site":    {http.Header{"Origin": {"http://" + s.addr}}, http.StatusSwitchingProtocols},
		"page that is allowed": {http.Header{"Origin": {"https://studio.example"}}, http.StatusSwitchingProtocols},
		"program":              {nil, http.StatusSwitchingProtocols},
	} {
		t.Run(name, func(t *testing.T) {
			ws, res, err := s.dial(test.header)
			if ws != nil {
				ws.Close()
			}
			if res == nil || res.StatusCode != test.want {
				t.Fatalf("got %v and %v, want %d", res, err, test.want)
			}
		})
	}
}

func TestPlainRequestsAreToldToUpgrade(t *testing.T) {
	s := serve(t, false, socket.Options{}, echo)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get("http://" + s.addr + "/ws")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusUpgradeRequired {
		t.Fatalf("got %d, want %d", res.StatusCode, http.StatusUpgradeRequired)
	}
}

// What fasthttp has read beyond the handshake is the socket's, however much of it there is.
func TestFramesSentWithTheHandshakeAreNotLost(t *testing.T) {
	for _, withTLS := range []bool{false, true} {
		for _, n := range []int{2, 100, 3_000, 60_000} {
			t.Run(fmt.Sprintf("tls=%t, %d bytes", withTLS, n), func(t *testing.T) {
				s := serve(t, withTLS, socket.Options{}, echo)
				conn, err := net.Dial("tcp", s.addr)
				if err != nil {
					t.Fatal(err)
				}
				if withTLS {
					config := s.tls.Clone()
					config.ServerName = "127.0.0.1"
					conn = tls.Client(conn, config)
				}
				defer conn.Close()
				if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
					t.Fatal(err)
				}
				said := strings.Repeat("hi", n/2)
				request := "GET /ws HTTP/1.1\r\nHost: " + s.addr + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
					"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
				if _, err := io.WriteString(conn, request+maskedFrame(said)); err != nil {
					t.Fatal(err)
				}
				var answer strings.Builder
				for buf := make([]byte, 1024); !strings.HasSuffix(answer.String(), said); {
					n, err := conn.Read(buf)
					if err != nil {
						t.Fatalf("after %.100q: %v", answer.String(), err)
					}
					answer.Write(buf[:n])
				}
			})
		}
	}
}

// maskedFrame is a text as a browser sends it, its mask all zero.
func maskedFrame(text string) string {
	if len(text) < 126 {
		return string([]byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0}) + text
	}
	return string([]byte{0x81, 0x80 | 126, byte(len(text) >> 8), byte(len(text)), 0, 0, 0, 0}) + text
}
