// Package gossip is the membership protocol by which coordinators and agents find each other, on hashicorp/memberlist. What it reports is
// a hint of who is alive: it authorises nothing, decides nothing about leases, and the farm works without it.
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

// Config is the configuration of a member.
type Config struct {
	Bind string // host:port; port 0 is the port in PortFile when that is free, else any free port
	// PortFile keeps the port over restarts; "" does not keep it. Other members reconnect to the address they last knew, and refuse a
	// member that comes back under another address until they have declared the old one dead.
	PortFile string
	Keys     [][]byte // of KeySize bytes each: the first encrypts, all decrypt
	Label    string   // of the pool; members with another label are ignored
	Seeds    []string // host:port of members to connect to
	Node     wire.Node
	Logger   *slog.Logger
	// Streams limits the connections that members have open; nil is 16 for one address and 64 in all.
	Streams  *inbound.Gate
	OnChange func(node wire.Node, alive bool) // called when a member joins, changes or leaves; must not block; may be nil
}

// Pool is this machine's membership.
type Pool struct {
	list    *memberlist.Memberlist
	ring    *memberlist.Keyring
	streams *transport
	address string // where others reach this member, as memberlist chose it at the start
	cfg     Config
	meta    atomic.Pointer[[]byte]
	wake    chan struct{} // makes rejoin start another round

	cancel  context.CancelFunc
	loop    sync.WaitGroup
	leaving sync.Once

	// mu is locked while memberlist holds its own lock (see events): no method of memberlist may be called while mu is held.
	mu    sync.Mutex
	seeds []string
	alive map[string]member     // by memberlist's name
	lost  map[string]lostMember // coordinators that are not alive, by memberlist's name
}

type member struct {
	node    wire.Node
	address string
}

type lostMember struct {
	address string
	at      time.Time
}

// Join makes this machine a member. Members that cannot be reached now are tried again later.
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
		cfg.Streams = inbound.NewGate(streamsPerAddress, maxStreams)
	}
	p := &Pool{cfg: cfg, seeds: cfg.Seeds, wake: make(chan struct{}, 1), alive: map[string]member{}, lost: map[string]lostMember{}}
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
	p.savePort(self.Port)
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.loop.Go(func() { p.rejoin(ctx) })
	return p, nil
}

// open listens and creates a pool of which this machine is the only member so far.
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

// settings is the configuration of memberlist. Workstations sleep and change networks, so members are probed less often, and suspected for
// longer before they are declared dead, than in memberlist's defaults for a local network.
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

// lastPort is the port in the file, 0 when there is none.
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

func (p *Pool) savePort(port uint16) {
	if p.cfg.PortFile == "" {
		return
	}
	if err := os.WriteFile(p.cfg.PortFile, fmt.Appendln(nil, port), 0o600); err != nil {
		p.cfg.Logger.Debug("cannot write the file with the gossip port", "error", err)
	}
}

// Address is where other members reach this one.
func (p *Pool) Address() string { return p.address }

// Members are the other members that are alive, in no particular order.
func (p *Pool) Members() []wire.Node {
	p.mu.Lock()
	defer p.mu.Unlock()
	nodes := make([]wire.Node, 0, len(p.alive))
	for _, m := range p.alive {
		nodes = append(nodes, m.node)
	}
	return nodes
}

// spreadTime is how long Update waits until the change has been sent.
const spreadTime = 2 * time.Second

// Update changes the description of this member, which the others receive within seconds. Its id and role do not change.
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
		// The change stays queued for the next rounds of gossip.
		p.cfg.Logger.Debug("the change of this gossip member is not sent yet", "error", err)
	}
	return nil
}

// Leave tells the other members that this one leaves, and waits up to a second for that. Close has to be called all the same.
func (p *Pool) Leave() {
	p.leaving.Do(func() {
		p.cancel()
		if err := p.list.Leave(time.Second); err != nil {
			p.cfg.Logger.Debug("not every gossip member was told that this one leaves", "error", err)
		}
	})
}

// Close leaves the pool and frees what it holds.
func (p *Pool) Close() error {
	p.Leave()
	err := p.list.Shutdown()
	p.loop.Wait()
	if err != nil {
		return fmt.Errorf("ending gossip: %w", err)
	}
	return nil
}

// delegate gives memberlist the description of this member; the pool has no other user data.
type delegate struct{ p *Pool }

// NodeMeta is the encoded description of this member.
func (d delegate) NodeMeta(int) []byte { return *d.p.meta.Load() }

// NotifyMsg, GetBroadcasts, LocalState and MergeRemoteState are for user data.
func (delegate) NotifyMsg([]byte)                {}
func (delegate) GetBroadcasts(_, _ int) [][]byte { return nil }
func (delegate) LocalState(bool) []byte          { return nil }
func (delegate) MergeRemoteState([]byte, bool)   {}

// logWriter writes what memberlist logs to the debug log.
type logWriter struct{ logger *slog.Logger }

func (w logWriter) Write(b []byte) (int, error) {
	w.logger.Debug("memberlist", "line", strings.TrimSpace(string(b)))
	return len(b), nil
}
