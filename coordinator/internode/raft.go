package internode

import (
	"context"
	"net"
	"sync"
	"time"
)

// Raft carries Raft's messages between the nodes: hashicorp/raft's StreamLayer. Raft leaves accepted connections open when it stops; this
// closes them with the port, so that no goroutine outlives the node.
type Raft struct {
	port     *Port
	incoming chan net.Conn

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

func newRaft(p *Port) *Raft {
	return &Raft{port: p, incoming: make(chan net.Conn, raftWaiting), open: map[net.Conn]struct{}{}}
}

// Dial connects to the node at an address, host:port.
func (r *Raft) Dial(address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(r.port.ctx, timeout)
	defer cancel()
	return r.port.dial(ctx, address, r.port.raftProtocol())
}

// Accept returns the next connection from another node.
func (r *Raft) Accept() (net.Conn, error) {
	select {
	case conn := <-r.incoming:
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.closed {
			_ = conn.Close()
			return nil, net.ErrClosed
		}
		r.open[conn] = struct{}{}
		return &takenConn{Conn: conn, layer: r}, nil
	case <-r.port.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close closes Raft's connections; the port stays open.
func (r *Raft) Close() error {
	r.shut()
	return nil
}

// Addr is the address at which the other nodes reach this one.
func (r *Raft) Addr() net.Addr { return address(r.port.address) }

func (r *Raft) shut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for conn := range r.open {
		_ = conn.Close()
	}
	clear(r.open)
	for {
		select {
		case conn := <-r.incoming:
			_ = conn.Close()
		default:
			return
		}
	}
}

// takenConn is an accepted connection, which its layer forgets when it is closed.
type takenConn struct {
	net.Conn
	layer *Raft
}

func (c *takenConn) Close() error {
	c.layer.mu.Lock()
	delete(c.layer.open, c.Conn)
	c.layer.mu.Unlock()
	return c.Conn.Close()
}

// address is the host:port of a node.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }
