package socket

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// ErrClosed is what writing to an ended socket gives.
var ErrClosed = errors.New("the websocket is closed")

// Options bound what a socket may cost. Zero values take the default behind each.
type Options struct {
	ReadLimit    int64         // bytes of one message; 1 MiB
	PingEvery    time.Duration // 20 s
	PongWait     time.Duration // silence after which the peer is gone; two and a half pings
	WriteTimeout time.Duration // of one frame; 10 s
	Queue        int           // messages that may wait to be written; 64
	Origins      []string      // further pages, as scheme://host, that a browser may connect from
	Ended        func()        // called once the socket has ended, or did not come to be; nil for nothing
}

const (
	handshakeTimeout = 10 * time.Second
	// lingerTimeout is how long a peer may take to answer a close frame.
	lingerTimeout = 2 * time.Second
)

func (o Options) withDefaults() Options {
	if o.ReadLimit <= 0 {
		o.ReadLimit = 1 << 20
	}
	if o.PingEvery <= 0 {
		o.PingEvery = 20 * time.Second
	}
	if o.PongWait <= 0 {
		o.PongWait = o.PingEvery * 5 / 2
	}
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = 10 * time.Second
	}
	if o.Ended == nil {
		o.Ended = func() {}
	}
	if o.Queue <= 0 {
		o.Queue = 64
	}
	return o
}

// Conn is one open socket. One goroutine of its own reads, another writes; its methods may be called from any.
type Conn struct {
	ws     *websocket.Conn
	opt    Options
	remote string

	in   chan []byte
	out  chan outgoing
	done chan struct{} // closed when the socket is to end
	once sync.Once

	mu     sync.Mutex
	code   int // of the close frame
	reason string
}

func newConn(ws *websocket.Conn, remote string, opt Options) *Conn {
	ws.SetReadLimit(opt.ReadLimit)
	return &Conn{
		ws: ws, opt: opt, remote: remote,
		in: make(chan []byte), out: make(chan outgoing, opt.Queue), done: make(chan struct{}),
		code: websocket.CloseNormalClosure,
	}
}

// RemoteAddr is the peer's address.
func (c *Conn) RemoteAddr() string { return c.remote }

// Messages gives what the peer sends, in order, and is closed when the peer has gone.
func (c *Conn) Messages() <-chan []byte { return c.in }

// Done is closed when the socket ends.
func (c *Conn) Done() <-chan struct{} { return c.done }

// outgoing is what waits to be written: a message for many peers, or a text for this one alone.
type outgoing struct {
	text    []byte
	message *Message // nil for text
}

// Write hands over a text for this peer alone, as Send does a message for many: preparing it would only cost.
func (c *Conn) Write(text []byte) error { return c.hand(outgoing{text: text}) }

// Send hands over a message for sending and waits while the queue is full. A peer that does not read for the
// WriteTimeout loses its socket, which ends the wait with ErrClosed.
func (c *Conn) Send(message *Message) error { return c.hand(outgoing{message: message}) }

func (c *Conn) hand(o outgoing) error {
	select {
	case <-c.done:
		return ErrClosed
	default:
	}
	select {
	case c.out <- o:
		return nil
	case <-c.done:
		return ErrClosed
	}
}

// maxReason is how many bytes of text a close frame has room for (RFC 6455, 5.5 and 5.5.1).
const maxReason = 123

// Close ends the socket with a close frame of the code (RFC 6455, 7.4); a reason that is too long for it is cut. The first
// Close decides the code.
func (c *Conn) Close(code int, reason string) {
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	c.once.Do(func() {
		c.mu.Lock()
		c.code, c.reason = code, reason
		c.mu.Unlock()
		// A write that is stuck now must not hold up the end; writeLoop sets the same bound for what it still writes.
		_ = c.ws.NetConn().SetWriteDeadline(time.Now().Add(lingerTimeout)) // fails only on a connection that has ended
		close(c.done)
	})
}

// run starts both goroutines, calls handle, and returns when all three have ended and the connection is closed.
func (c *Conn) run(ctx context.Context, handle func(context.Context, *Conn) error, logger *slog.Logger) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var loops sync.WaitGroup
	defer loops.Wait()
	defer c.Close(websocket.CloseInternalServerErr, "") // reached first only by a panic
	readEnded := make(chan struct{})
	loops.Go(func() { defer close(readEnded); c.readLoop() })
	loops.Go(func() { c.writeLoop(readEnded) })
	loops.Go(func() { <-c.done; cancel() })

	if err := handle(ctx, c); err != nil && !errors.Is(err, ErrClosed) && !errors.Is(err, context.Canceled) {
		logger.Debug("websocket ended", "remote", c.remote, "error", err)
		c.Close(websocket.CloseInternalServerErr, "")
	}
	c.Close(websocket.CloseNormalClosure, "")
}

// readLoop passes messages on and lets pings and pongs be handled. It ends with the peer or with the connection.
func (c *Conn) readLoop() {
	defer close(c.in)
	c.ws.SetPongHandler(func(string) error { return c.extend() })
	for {
		if c.extend() != nil {
			c.Close(websocket.CloseAbnormalClosure, "")
			return
		}
		kind, message, err := c.read()
		if err != nil {
			c.Close(closeCodeFor(err), "")
			return
		}
		if kind != websocket.TextMessage && kind != websocket.BinaryMessage {
			continue
		}
		select {
		case c.in <- message:
		case <-c.done:
			// What comes after the end is read only for the peer's answer to the close frame.
		}
	}
}

// read gives the next message. A compressed one may not be larger than the limit either.
func (c *Conn) read() (kind int, message []byte, err error) {
	kind, r, err := c.ws.NextReader()
	if err != nil {
		return kind, nil, err
	}
	message, err = io.ReadAll(io.LimitReader(r, c.opt.ReadLimit+1))
	if err == nil && int64(len(message)) > c.opt.ReadLimit {
		err = websocket.ErrReadLimit
	}
	return kind, message, err
}

func (c *Conn) extend() error { return c.ws.SetReadDeadline(time.Now().Add(c.opt.PongWait)) }

func closeCodeFor(err error) int {
	if errors.Is(err, websocket.ErrReadLimit) {
		return websocket.CloseMessageTooBig
	}
	return websocket.CloseNormalClosure
}

// writeLoop is the only writer of data frames and pings. When the socket is to end it sends what still waits, says
// goodbye, gives the peer a moment to answer, and closes the connection, which also ends readLoop.
func (c *Conn) writeLoop(readEnded <-chan struct{}) {
	defer func() { _ = c.ws.Close() }() // the peer may have closed first
	ping := time.NewTicker(c.opt.PingEvery)
	defer ping.Stop()
	for {
		select {
		case next := <-c.out:
			if c.send(next, time.Now().Add(c.opt.WriteTimeout)) != nil {
				c.Close(websocket.CloseAbnormalClosure, "")
				return
			}
		case <-ping.C:
			if c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(c.opt.WriteTimeout)) != nil {
				c.Close(websocket.CloseAbnormalClosure, "")
				return
			}
		case <-c.done:
			c.sayGoodbye(readEnded)
			return
		}
	}
}

func (c *Conn) send(next outgoing, deadline time.Time) error {
	if err := c.ws.SetWriteDeadline(deadline); err != nil {
		return err
	}
	if next.message != nil {
		return c.ws.WritePreparedMessage(next.message.prepared)
	}
	return c.ws.WriteMessage(websocket.TextMessage, next.text)
}

func (c *Conn) sayGoodbye(readEnded <-chan struct{}) {
	deadline := time.Now().Add(lingerTimeout)
	for waiting := true; waiting; {
		select {
		case next := <-c.out:
			if c.send(next, deadline) != nil {
				return
			}
		default:
			waiting = false
		}
	}
	c.mu.Lock()
	frame := websocket.FormatCloseMessage(c.code, c.reason)
	c.mu.Unlock()
	if c.ws.WriteControl(websocket.CloseMessage, frame, deadline) != nil {
		return
	}
	linger := time.NewTimer(time.Until(deadline))
	defer linger.Stop()
	select {
	case <-readEnded:
	case <-linger.C:
	}
}
