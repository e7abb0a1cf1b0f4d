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
	"os"
	"strings"
	"time"

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
func upgrade(conn net.Conn, r *http.Request, answer http.Header, writing websocket.BufferPool) (*websocket.Conn, error) {
	w := &handshakeWriter{conn: conn, header: http.Header{}}
	up := websocket.Upgrader{
		HandshakeTimeout: handshakeTimeout,
		ReadBufferSize:   4096,
		WriteBufferSize:  4096,
		WriteBufferPool:  writing,
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

// eagerConn is a connection whose peer sent its first frames with the handshake.
type eagerConn struct {
	net.Conn
	first io.Reader
}

func (c eagerConn) Read(p []byte) (int, error) {
	n, err := c.first.Read(p)
	if n == 0 && errors.Is(err, io.EOF) {
		return c.Conn.Read(p)
	}
	return n, nil
}

// released is the connection below nc without the buffer that fasthttp read requests with. That is as large as a request's headers may be, and
// a socket would hold it for as long as it is open. What the buffer still holds, the socket reads first.
func released(nc net.Conn) (net.Conn, error) {
	u, ok := nc.(unsafeConn)
	if !ok {
		return nc, nil
	}
	under := u.UnsafeConn()
	// A connection whose time is over gives what is buffered above it, and nothing of its own.
	if err := under.SetReadDeadline(time.Unix(1, 0)); err != nil {
		return nil, fmt.Errorf("taking over a connection: %w", err)
	}
	first, err := io.ReadAll(nc)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, fmt.Errorf("taking over a connection: %w", err)
	}
	if err := under.SetReadDeadline(time.Time{}); err != nil {
		return nil, fmt.Errorf("taking over a connection: %w", err)
	}
	if len(first) > 0 {
		return eagerConn{Conn: under, first: bytes.NewReader(first)}, nil
	}
	return under, nil
}

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

// hijack gives the connection behind c to run, without any answer of fasthttp's own. fasthttp takes back what it read the request with when run
// returns; the connection stays open.
func hijack(c *fiber.Ctx, run func(net.Conn)) {
	c.Context().HijackSetNoResponse(true)
	c.Context().Hijack(fasthttp.HijackHandler(run))
}
