package raftstore

import (
	"errors"
	"net"
	"time"

	"github.com/hashicorp/raft"
)

const (
	transportPool    = 3 // idle connections kept to each node
	transportTimeout = 10 * time.Second
)

// Layer makes and takes the connections on which the nodes' Rafts speak with each other, and answers for who is at their
// other ends. Addr is where the other nodes reach this one. Its Close ends what it took.
type Layer interface {
	net.Listener
	Dial(address string, timeout time.Duration) (net.Conn, error)
}

// closableTransport is what both of Raft's transports are.
type closableTransport interface {
	raft.Transport
	Close() error
}

// newTransport is Raft's way to the other nodes; a farm of one node needs none.
func newTransport(cfg Config, logger *raftLogger) (closableTransport, error) {
	if cfg.Layer == nil {
		if len(cfg.Peers) > 1 || cfg.Await {
			return nil, errors.New("a farm of several nodes needs a port for them to speak with each other")
		}
		_, transport := raft.NewInmemTransport("")
		return transport, nil
	}
	return raft.NewNetworkTransportWithLogger(streamLayer{cfg.Layer}, transportPool, transportTimeout, logger), nil
}

// streamLayer is a Layer as Raft has it.
type streamLayer struct{ Layer }

var _ raft.StreamLayer = streamLayer{}

// Dial connects to another node.
func (l streamLayer) Dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	return l.Layer.Dial(string(address), timeout)
}
