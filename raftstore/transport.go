package raftstore

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

const (
	transportPool    = 3 // idle connections kept to each node
	transportTimeout = 10 * time.Second
)

// closableTransport is what both of Raft's transports are.
type closableTransport interface {
	raft.Transport
	Close() error
}

// newTransport opens the port that the configuration asks for; a farm of one node needs none.
func newTransport(cfg Config, logger *raftLogger) (closableTransport, error) {
	if cfg.Bind == "" {
		if len(cfg.Peers) > 1 {
			return nil, errors.New("a farm of several nodes needs an address for its Raft port")
		}
		_, transport := raft.NewInmemTransport("")
		return transport, nil
	}
	host, _, err := net.SplitHostPort(cfg.Bind)
	if err != nil {
		return nil, fmt.Errorf("the Raft address %q is not host:port: %w", cfg.Bind, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("the Raft address %q is open to other machines, and the port asks nobody who he is; use 127.0.0.1", cfg.Bind)
	}
	listener, err := net.Listen("tcp", cfg.Bind)
	if err != nil {
		return nil, fmt.Errorf("open the Raft port %s: %w", cfg.Bind, err)
	}
	layer := &streamLayer{Listener: listener, open: make(map[net.Conn]struct{})}
	return raft.NewNetworkTransportWithLogger(layer, transportPool, transportTimeout, logger), nil
}

// streamLayer makes and takes Raft's connections. Raft's own transport leaves those that it took open when it closes;
// this one closes them, so that no goroutine outlives the node.
type streamLayer struct {
	net.Listener

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

var _ raft.StreamLayer = (*streamLayer)(nil)

// Dial connects to another node.
func (l *streamLayer) Dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	return net.DialTimeout("tcp", string(address), timeout)
}

// Accept takes a connection from another node.
func (l *streamLayer) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errors.Join(net.ErrClosed, conn.Close())
	}
	l.open[conn] = struct{}{}
	return &takenConn{Conn: conn, layer: l}, nil
}

// Close closes the port and every connection that was taken on it.
func (l *streamLayer) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for conn := range l.open {
		_ = conn.Close()
	}
	clear(l.open)
	return l.Listener.Close()
}

// takenConn is a connection that its layer forgets when it is closed.
type takenConn struct {
	net.Conn
	layer *streamLayer
}

func (c *takenConn) Close() error {
	c.layer.mu.Lock()
	delete(c.layer.open, c.Conn)
	c.layer.mu.Unlock()
	return c.Conn.Close()
}
