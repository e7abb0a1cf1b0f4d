// Package gossip is a workstation's membership in the pool where coordinators and agents find each other. It is a hint of
// who is alive: it authorises nothing, and an agent works without it.
package gossip

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"overcrank/farm/wire"
)

// RejoinEvery is about how often a member calls the others anew: memberlist forgets those it has lost for 30 seconds, and
// two sides of a longer network cut would never find each other again.
const RejoinEvery = 15 * time.Second

// Config says how to take part.
type Config struct {
	Bind string // host:port; port 0 takes the one of the last time when it is free, else any free one
	// PortFile keeps the port, "" for nowhere: a member that comes back under another address is taken for an impostor
	// until the others have given its old self up.
	PortFile string
	Key      []byte   // of the pool, 32 bytes
	Label    string   // of the pool
	Seeds    []string // host:port of members to call
	Node     wire.Node
	Logger   *slog.Logger
}

// Pool is this machine's membership.
type Pool struct {
	list   *memberlist.Memberlist
	cfg    Config
	meta   []byte
	cancel context.CancelFunc
	loop   sync.WaitGroup
}

// Join takes up membership. Members that cannot be reached now are called again.
func Join(cfg Config) (*Pool, error) {
	host, portText, err := net.SplitHostPort(cfg.Bind)
	if err != nil {
		return nil, fmt.Errorf("gossip address %q: %w", cfg.Bind, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("gossip address %q: the port is not a number up to 65535", cfg.Bind)
	}
	meta, err := cfg.Node.Encode()
	if err != nil {
		return nil, err
	}
	p := &Pool{cfg: cfg, meta: meta}
	if last := lastPort(cfg.PortFile); port == 0 && last != 0 {
		p.list, err = memberlist.Create(p.settings(host, last))
	}
	if p.list == nil {
		p.list, err = memberlist.Create(p.settings(host, port))
	}
	if err != nil {
		return nil, fmt.Errorf("opening gossip on %s: %w", cfg.Bind, err)
	}
	p.keepPort()
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.loop.Go(func() { p.rejoin(ctx) })
	return p, nil
}

// settings are memberlist's. Workstations sleep and roam, so suspicion takes longer than its LAN profile has it.
func (p *Pool) settings(host string, port int) *memberlist.Config {
	mc := memberlist.DefaultLANConfig()
	mc.Name = string(p.cfg.Node.Role) + "-" + p.cfg.Node.ID
	mc.BindPort, mc.AdvertisePort = port, port
	if host != "" {
		mc.BindAddr = host
	}
	mc.SecretKey, mc.Label = p.cfg.Key, p.cfg.Label
	mc.ProbeInterval, mc.ProbeTimeout, mc.SuspicionMult = 2*time.Second, time.Second, 6
	mc.GossipInterval, mc.TCPTimeout = 500*time.Millisecond, 3*time.Second
	mc.DeadNodeReclaimTime = 30 * time.Second
	mc.Delegate = delegate{p}
	mc.LogOutput = logWriter{p.cfg.Logger}
	return mc
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

func (p *Pool) keepPort() {
	if p.cfg.PortFile == "" {
		return
	}
	port := strconv.Itoa(int(p.list.LocalNode().Port))
	if err := os.WriteFile(p.cfg.PortFile, []byte(port+"\n"), 0o600); err != nil {
		p.cfg.Logger.Debug("the gossip port is not kept", "error", err)
	}
}

// Address is where other members reach this one.
func (p *Pool) Address() string { return p.list.LocalNode().Address() }

// Members are the other members that are alive, as they describe themselves.
func (p *Pool) Members() []wire.Node {
	var nodes []wire.Node
	for _, m := range p.list.Members() {
		if n, err := wire.DecodeNode(m.Meta); err == nil && m.Name != p.list.LocalNode().Name {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Leave tells the others good-bye and ends the membership.
func (p *Pool) Leave() error {
	p.cancel()
	p.loop.Wait()
	if err := p.list.Leave(time.Second); err != nil {
		p.cfg.Logger.Debug("leaving gossip without having told everyone", "error", err)
	}
	if err := p.list.Shutdown(); err != nil {
		return fmt.Errorf("ending gossip: %w", err)
	}
	return nil
}

// rejoin calls the seeds, and the coordinators met since, as long as the membership lasts.
func (p *Pool) rejoin(ctx context.Context) {
	known := make(map[string]bool)
	for {
		for _, seed := range p.cfg.Seeds {
			known[seed] = true
		}
		for _, m := range p.list.Members() {
			if n, err := wire.DecodeNode(m.Meta); err == nil && n.Role == wire.RoleCoordinator && len(known) < 32 {
				known[m.Address()] = true
			}
		}
		var lost []string
		for address := range known {
			if address != p.Address() && !p.meets(address) {
				lost = append(lost, address)
			}
		}
		if len(lost) > 0 {
			if n, err := p.list.Join(lost); err != nil && n == 0 {
				p.cfg.Logger.Debug("no member of the gossip pool answers", "called", lost, "error", err)
			}
		}
		select {
		case <-time.After(RejoinEvery + rand.N(RejoinEvery/5)):
		case <-ctx.Done():
			return
		}
	}
}

// meets tells whether the member at an address is known to be alive.
func (p *Pool) meets(address string) bool {
	for _, m := range p.list.Members() {
		if m.Address() == address {
			return true
		}
	}
	return false
}

// delegate gives memberlist the node's metadata and nothing else.
type delegate struct{ p *Pool }

// NodeMeta is what this machine tells of itself.
func (d delegate) NodeMeta(limit int) []byte { return d.p.meta[:min(limit, len(d.p.meta))] }

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
