// Package gossip is membership in the pool where coordinators and agents find each other. What it tells is a hint of who is
// alive: it authorises nothing, decides nothing about leases, and both sides work without it.
package gossip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/memberlist"

	"overcrank/farm/wire"
	"overcrank/inbound"
)

// Config says how to take part.
type Config struct {
	Bind string // host:port; port 0 takes the one of the last time when it is free, else any free one
	// PortFile keeps the port, "" for nowhere: others call a member where they met it last, and take one that comes back
	// under another address for an impostor until they have given its old self up.
	PortFile string
	Keys     [][]byte // of the pool, 32 bytes each: the first one is written with, all are read with
	Label    string   // of the pool
	Seeds    []string // host:port of members to call
	Node     wire.Node
	Logger   *slog.Logger
	// Streams counts the connections that members have open; nil for 16 of one address and 64 together.
	Streams  *inbound.Gate
	OnChange func(node wire.Node, alive bool) // a member came, changed or went; must not block; nil for nobody
}

// Pool is this machine's membership.
type Pool struct {
	list    *memberlist.Memberlist
	ring    *memberlist.Keyring
	streams *transport
	address string // where others reach this member: memberlist settles it when it begins
	cfg     Config
	meta    atomic.Pointer[[]byte]
	wake    chan struct{} // of rejoin

	cancel  context.CancelFunc
	loop    sync.WaitGroup
	leaving sync.Once

	// mu is taken under memberlist's own lock (events), so nothing of memberlist may be asked while it is held.
	mu    sync.Mutex
	seeds []string
	alive map[string]member // by the name that memberlist has for it
	lost  map[string]gone   // coordinators, by the same
}

type member struct {
	node    wire.Node
	address string
}

type gone struct {
	address string
	at      time.Time
}

// Join takes up membership. Members that cannot be reached now are called again.
func Join(cfg Config) (*Pool, error) {
	host, port, err := splitAddress(cfg.Bind)
	if err != nil {
		return nil, err
	}
	meta, err := cfg.Node.Encode()
	if err != nil {
		return nil, err
	}
	if cfg.Streams == nil {
		cfg.Streams = inbound.NewGate(streamsEach, streamsAll)
	}
	p := &Pool{cfg: cfg, seeds: cfg.Seeds, wake: make(chan struct{}, 1), alive: map[string]member{}, lost: map[string]gone{}}
	if p.ring, err = keyring(cfg.Keys); err != nil {
		return nil, err
	}
	p.meta.Store(&meta)
	if last := lastPort(cfg.PortFile); port == 0 && last != 0 {
		p.list, err = p.open(host, last)
	}
	if p.list == nil {
		p.list, err = p.open(host, port)
	}
	if err != nil {
		return nil, fmt.Errorf("opening gossip on %s: %w", cfg.Bind, err)
	}
	self := p.list.LocalNode()
	p.address = self.Address()
	p.keepPort(self.Port)
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.loop.Go(func() { p.rejoin(ctx) })
	return p, nil
}

// open begins to listen and takes part, with nobody yet.
func (p *Pool) open(host string, port int) (*memberlist.Memberlist, error) {
	t, err := openTransport(host, port, p.cfg.Streams, p.cfg.Logger)
	if err != nil {
		return nil, err
	}
	settings := p.settings(host, t.GetAutoBindPort())
	settings.Transport = t
	list, err := memberlist.Create(settings)
	if err != nil {
		return nil, errors.Join(err, t.Shutdown())
	}
	p.streams = t
	return list, nil
}

// settings are memberlist's. Workstations sleep and roam, so suspicion takes longer and probes are rarer than its profile for
// a local network has it.
func (p *Pool) settings(host string, port int) *memberlist.Config {
	mc := memberlist.DefaultLANConfig()
	mc.Name = p.name()
	mc.BindAddr, mc.BindPort, mc.AdvertisePort = host, port, port
	mc.Keyring, mc.Label = p.ring, p.cfg.Label
	mc.ProbeInterval, mc.ProbeTimeout, mc.SuspicionMult = 2*time.Second, time.Second, 6
	mc.GossipInterval, mc.TCPTimeout = 200*time.Millisecond, 3*time.Second
	mc.DeadNodeReclaimTime = 30 * time.Second
	mc.Delegate, mc.Events = delegate{p}, events{p}
	mc.LogOutput = logWriter{p.cfg.Logger}
	return mc
}

func (p *Pool) name() string { return string(p.cfg.Node.Role) + "-" + p.cfg.Node.ID }

func splitAddress(bind string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(bind)
	if err != nil {
		return "", 0, fmt.Errorf("gossip address %q: %w", bind, err)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("gossip address %q: the port is not a number up to 65535", bind)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	return host, port, nil
}

// lastPort is the port of the last time, 0 when it is not known.
func lastPort(file string) int {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || port <= 0 || port > 65535 {
		return 0
	}
	return port
}

func (p *Pool) keepPort(port uint16) {
	if p.cfg.PortFile == "" {
		return
	}
	if err := os.WriteFile(p.cfg.PortFile, fmt.Appendln(nil, port), 0o600); err != nil {
		p.cfg.Logger.Debug("the gossip port is not kept", "error", err)
	}
}

// Address is where other members reach this one.
func (p *Pool) Address() string { return p.address }

// Members are the other members that are alive, as they describe themselves, in no order.
func (p *Pool) Members() []wire.Node {
	p.mu.Lock()
	defer p.mu.Unlock()
	nodes := make([]wire.Node, 0, len(p.alive))
	for _, m := range p.alive {
		nodes = append(nodes, m.node)
	}
	return nodes
}

// spreadTime is how long Update waits for the change to be on its way; nobody but this machine learns of the wait.
const spreadTime = 2 * time.Second

// Update changes what this machine tells of itself; all others learn of it within seconds. Its id and role stay.
func (p *Pool) Update(node wire.Node) error {
	node.ID, node.Role = p.cfg.Node.ID, p.cfg.Node.Role
	meta, err := node.Encode()
	if err != nil {
		return err
	}
	if bytes.Equal(meta, *p.meta.Load()) {
		return nil
	}
	p.meta.Store(&meta)
	if err := p.list.UpdateNode(spreadTime); err != nil {
		// The change is queued and goes out with the next round of gossip all the same.
		p.cfg.Logger.Debug("a change is slow to leave this machine", "error", err)
	}
	return nil
}

// Leave tells the others good-bye, which takes a second. What is left to do then is Close.
func (p *Pool) Leave() {
	p.leaving.Do(func() {
		p.cancel()
		if err := p.list.Leave(time.Second); err != nil {
			p.cfg.Logger.Debug("leaving gossip without having told everyone", "error", err)
		}
	})
}

// Close ends the membership, which it leaves first.
func (p *Pool) Close() error {
	p.Leave()
	err := p.list.Shutdown()
	p.loop.Wait()
	if err != nil {
		return fmt.Errorf("ending gossip: %w", err)
	}
	return nil
}

// delegate gives memberlist the node's metadata and nothing else.
type delegate struct{ p *Pool }

// NodeMeta is what this machine tells of itself.
func (d delegate) NodeMeta(int) []byte { return *d.p.meta.Load() }

// NotifyMsg, GetBroadcasts, LocalState and MergeRemoteState carry user data, of which this pool has none.
func (delegate) NotifyMsg([]byte)                {}
func (delegate) GetBroadcasts(_, _ int) [][]byte { return nil }
func (delegate) LocalState(bool) []byte          { return nil }
func (delegate) MergeRemoteState([]byte, bool)   {}

// logWriter hands memberlist's chatter to the debug log.
type logWriter struct{ logger *slog.Logger }

func (w logWriter) Write(b []byte) (int, error) {
	w.logger.Debug("gossip", "says", strings.TrimSpace(string(b)))
	return len(b), nil
}
