package socket

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/websocket"
	"github.com/valyala/fasthttp"
)

// requestOf copies what the handshake needs out of Fiber's request. Nothing of it aliases fasthttp's memory, which is
// used again as soon as the handler has returned.
func requestOf(c *fiber.Ctx) (*http.Request, error) {
	target, err := url.ParseRequestURI(strings.Clone(c.OriginalURL()))
	if err != nil {
		return nil, fmt.Errorf("reading the address of a websocket request: %w", err)
	}
	header := http.Header{}
	c.Request().Header.VisitAll(func(key, value []byte) {
		header.Add(string(key), string(value))
	})
	return &http.Request{
		Method:     strings.Clone(c.Method()),
		URL:        target,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     header,
		Host:       string(c.Request().Host()),
		RemoteAddr: c.Context().RemoteAddr().String(),
	}, nil
}

// checkHandshake refuses what the upgrade would refuse, while Fiber can still answer in its own way.
func checkHandshake(r *http.Request, origins []string) error {
	if !websocket.IsWebSocketUpgrade(r) || r.Method != http.MethodGet {
		return fiber.NewError(fiber.StatusUpgradeRequired, "this address speaks websocket only")
	}
	if r.Header.Get("Sec-Websocket-Version") != "13" {
		return fiber.NewError(fiber.StatusUpgradeRequired, "only version 13 of the websocket protocol is spoken here")
	}
	if r.Header.Get("Sec-Websocket-Key") == "" {
		return fiber.NewError(fiber.StatusBadRequest, "the websocket request has no Sec-WebSocket-Key")
	}
	if !originAllowed(r, origins) {
		return fiber.NewError(fiber.StatusForbidden, "a page of another site may not open a websocket here")
	}
	return nil
}

// originAllowed tells whether a browser may connect from the page it shows. Programs send no Origin.
func originAllowed(r *http.Request, origins []string) bool {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return true
	}
	if len(values) > 1 {
		return false
	}
	for _, allowed := range origins {
		if strings.EqualFold(allowed, values[0]) {
			return true
		}
	}
	origin, err := url.Parse(values[0])
	return err == nil && origin.Host != "" && strings.EqualFold(origin.Host, r.Host)
}

// upgrade makes the handshake on a connection that fasthttp has given away. It writes the refusal itself when the
// handshake fails, because no server stands behind the connection any more.
func upgrade(nc net.Conn, r *http.Request, answer http.Header) (*websocket.Conn, error) {
	conn := realConn(nc)
	w := &handshakeWriter{conn: conn, header: http.Header{}}
	up := websocket.Upgrader{
		HandshakeTimeout: handshakeTimeout,
		ReadBufferSize:   4096,
		WriteBufferSize:  4096,
		// Without context takeover, which is all that gorilla does: a compressor is held while one message is made, not by each socket.
		EnableCompression: true,
		CheckOrigin:       func(*http.Request) bool { return true }, // checkHandshake has looked
	}
	ws, err := up.Upgrade(w, r, answer)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making a websocket of %s: %w", r.URL.Path, err), w.refuse())
	}
	return ws, nil
}

// unsafeConn is what fasthttp's hijacked connection offers beside net.Conn.
type unsafeConn interface{ UnsafeConn() net.Conn }

// closingConn reads through fasthttp's buffer, which may hold the peer's first frames, and closes for real.
type closingConn struct {
	net.Conn
	under net.Conn
}

func realConn(nc net.Conn) net.Conn {
	if u, ok := nc.(unsafeConn); ok {
		return closingConn{Conn: nc, under: u.UnsafeConn()}
	}
	return nc
}

func (c closingConn) Close() error { return c.under.Close() }

// handshakeWriter is the http.ResponseWriter that gorilla's upgrade asks for.
type handshakeWriter struct {
	conn   net.Conn
	header http.Header
	status int
	body   bytes.Buffer
	given  bool
}

func (w *handshakeWriter) Header() http.Header         { return w.header }
func (w *handshakeWriter) WriteHeader(status int)      { w.status = status }
func (w *handshakeWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

func (w *handshakeWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.given = true
	return w.conn, bufio.NewReadWriter(bufio.NewReaderSize(w.conn, 4096), bufio.NewWriterSize(w.conn, 4096)), nil
}

// refuse sends what gorilla recorded; after a hijack gorilla has closed the connection itself.
func (w *handshakeWriter) refuse() error {
	if w.given {
		return nil
	}
	if w.status == 0 {
		w.status = http.StatusInternalServerError
	}
	return writeRefusal(w.conn, w.status, w.header, w.body.Bytes())
}

func writeRefusal(conn net.Conn, status int, header http.Header, body []byte) error {
	res := http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: header, Close: true,
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
	}
	if err := res.Write(conn); err != nil {
		return fmt.Errorf("refusing a websocket: %w", err)
	}
	return nil
}

// hijack gives the connection behind c to run, without any answer of fasthttp's own.
func hijack(c *fiber.Ctx, run func(net.Conn)) {
	c.Context().HijackSetNoResponse(true)
	c.Context().Hijack(fasthttp.HijackHandler(run))
}
