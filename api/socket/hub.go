package socket

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/websocket"
)

// Hub owns the open sockets of a server.
type Hub struct {
	logger *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	closed bool
	conns  map[*Conn]struct{}
	open   sync.WaitGroup

	writing sync.Pool // of gorilla's buffers, which a socket holds only while it writes a message
}

// NewHub makes a hub without sockets. Close it before the server is shut down. The server needs fasthttp's KeepHijackedConns.
func NewHub(logger *slog.Logger) *Hub {
	ctx, cancel := context.WithCancel(context.Background())
	return &Hub{logger: logger, ctx: ctx, cancel: cancel, conns: map[*Conn]struct{}{}}
}

// Serve answers a websocket request and runs handle on the socket; the socket ends when handle returns, and handle's
// context ends with the socket. Check who is asking before calling it: what it refuses is only the handshake, pages of
// other sites, and any socket after Close. handle must not touch c.
func (h *Hub) Serve(c *fiber.Ctx, opt Options, handle func(context.Context, *Conn) error) (err error) {
	opt = opt.withDefaults()
	defer func() {
		if err != nil {
			opt.Ended()
		}
	}()
	r, err := requestOf(c)
	if err != nil {
		return fiber.NewError(fiber.StatusBadRequest, err.Error())
	}
	if err := checkHandshake(r, opt.Origins); err != nil {
		return err
	}
	if h.isClosed() {
		return fiber.NewError(fiber.StatusServiceUnavailable, "the farm is stopping")
	}
	answer := http.Header{}
	c.Response().Header.VisitAll(func(key, value []byte) {
		if string(key) == "X-Request-Id" {
			answer.Set("X-Request-Id", string(value))
		}
	})
	hijack(c, func(nc net.Conn) {
		conn, err := released(nc)
		if err != nil {
			h.logger.Debug("websocket refused", "remote", r.RemoteAddr, "error", err)
			_ = nc.Close() // nobody is left to tell
			opt.Ended()
			return
		}
		h.run(func() { h.serve(conn, r, answer, opt, handle) })
	})
	return nil
}

// run gives a socket a goroutine that Close waits for. After Close a socket only says goodbye, on the goroutine of its caller.
func (h *Hub) run(serve func()) {
	h.mu.Lock()
	if !h.closed {
		defer h.mu.Unlock()
		h.open.Go(serve)
		return
	}
	h.mu.Unlock()
	serve()
}

// serve makes a socket of a connection and stays with it to its end.
func (h *Hub) serve(nc net.Conn, r *http.Request, answer http.Header, opt Options, handle func(context.Context, *Conn) error) {
	defer opt.Ended()
	ws, err := upgrade(nc, r, answer, &h.writing)
	if err != nil {
		h.logger.Debug("websocket refused", "remote", r.RemoteAddr, "error", err)
		_ = nc.Close() // gorilla may have closed it
		return
	}
	conn := newConn(ws, r.RemoteAddr, opt)
	if !h.add(conn) {
		conn.Close(websocket.CloseGoingAway, "the farm is stopping")
		conn.run(h.ctx, func(context.Context, *Conn) error { return nil }, h.logger)
		return
	}
	defer h.remove(conn)
	defer func() {
		if p := recover(); p != nil {
			h.logger.Error("websocket handler panicked", "path", r.URL.Path, "panic", fmt.Sprint(p))
			_ = ws.Close() // run has closed it unless the panic came first
		}
	}()
	conn.run(h.ctx, handle, h.logger)
}

func (h *Hub) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

func (h *Hub) add(c *Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.conns[c] = struct{}{}
	return true
}

func (h *Hub) remove(c *Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c)
}

// Len is how many sockets are open.
func (h *Hub) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.conns)
}

// Close tells every peer that the server goes away (1001), waits until all sockets and their handlers have ended, and
// refuses new ones. It returns ctx's error when handlers are still running at its end.
func (h *Hub) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	for c := range h.conns {
		c.Close(websocket.CloseGoingAway, "the farm is stopping")
	}
	h.mu.Unlock()
	h.cancel()

	ended := make(chan struct{})
	go func() { defer close(ended); h.open.Wait() }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for %d websockets to end: %w", h.Len(), ctx.Err())
	}
}
