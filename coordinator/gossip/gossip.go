// Package gossip is a coordinator's membership in the pool where coordinators and agents find each other. What it tells
// is a hint: it authorises nothing and decides nothing about leases.
package gossip

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"overcrank/farm/wire"
)

// RejoinEvery is how often a member calls those it has lost. memberlist forgets a dead member after 30 s, and two sides of
// a network cut that lasted longer would never find each other again by themselves.
const RejoinEvery = 15 * time.Second

// forgetAfter is how long a lost member is called.
const forgetAfter = 24 * time.Hour

// Config says how to take part.
type Config struct {
	Bind     string // host:port; port 0 takes a free one
	Key      []byte // 32 bytes
	Label    string // of the pool
	Node     wire.Node
	Logger   *slog.Logger
	OnChange func(wire.Node, bool) // called when a member came (true) or went; must not block
}

// Pool is this node's membership.
type Pool struct {
	list   *memberlist.Memberlist
	cfg    Config
	meta   []byte
	cancel context.CancelFunc
	done   chan struct{}

	mu    sync.Mutex
	alive map[string]wire.Node // by member name
	lost  map[string]gone      // by member name
}

type gone struct {
	address string
	at      time.Time
}

// Join opens the pool on this node.
func Join(cfg Config) (*Pool, error) {
	host, port, err := splitAddress(cfg.Bind)
	if err != nil {
		return nil, err
	}
	meta, err := cfg.Node.Encode()
	if err != nil {
		return nil, err
	}
	p := &Pool{cfg: cfg, meta: meta, done: make(chan struct{}), alive: map[string]wire.Node{}, lost: map[string]gone{}}

	mc := memberlist.DefaultLANConfig()
	mc.Name = string(cfg.Node.Role) + "-" + cfg.Node.ID
	mc.BindAddr, mc.BindPort, mc.AdvertisePort = host, port, port
	mc.SecretKey, mc.Label = cfg.Key, cfg.Label
	mc.RequireNodeNames = true
	mc.ProbeInterval, mc.ProbeTimeout, mc.SuspicionMult = 2*time.Second, time.Second, 6
	mc.TCPTimeout = 3 * time.Second
	mc.DeadNodeReclaimTime = 30 * time.Second
	mc.Delegate, mc.Events = delegate{p}, events{p}
	mc.LogOutput = logWriter{cfg.Logger}
	if p.list, err = memberlist.Create(mc); err != nil {
		return nil, fmt.Errorf("opening gossip on %s: %w", cfg.Bind, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go p.rejoin(ctx)
	return p, nil
}

// Address is where other members reach this one.
func (p *Pool) Address() string { return p.list.LocalNode().Address() }

// Alive tells which agents the pool has alive.
func (p *Pool) Alive() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	agents := map[string]bool{}
	for node := range maps.Values(p.alive) {
		if node.Role == wire.RoleAgent {
			agents[node.ID] = true
		}
	}
	return agents
}

// Leave tells the others good-bye and ends the membership.
func (p *Pool) Leave() error {
	p.cancel()
	if err := p.list.Leave(time.Second); err != nil {
		p.cfg.Logger.Debug("leaving gossip", "error", err)
	}
	err := p.list.Shutdown()
	<-p.done
	if err != nil {
		return fmt.Errorf("ending gossip: %w", err)
	}
	return nil
}

func (p *Pool) rejoin(ctx context.Context) {
	defer close(p.done)
	tick := time.NewTicker(RejoinEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, address := range p.missing(now) {
				if ctx.Err() != nil {
					return
				}
				if _, err := p.list.Join([]string{address}); err != nil {
					p.cfg.Logger.Debug("calling a lost member", "address", address, "error", err)
				}
			}
		}
	}
}

// missing is a few addresses of members that went away not too long ago. Calling one that cannot be reached takes
// seconds, so a round calls no more than three.
func (p *Pool) missing(now time.Time) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var addresses []string
	for name, g := range p.lost {
		if now.Sub(g.at) > forgetAfter {
			delete(p.lost, name)
		} else if len(addresses) < 3 {
			addresses = append(addresses, g.address)
		}
	}
	return addresses
}

func splitAddress(bind string) (string, int, error) {
	host, portText, err := net.SplitHostPort(bind)
	if err != nil {
		return "", 0, fmt.Errorf("gossip address %q: %w", bind, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("gossip address %q: %q is no port", bind, portText)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	return host, port, nil
}

// delegate gives memberlist this node's metadata, and nothing else.
type delegate struct{ p *Pool }

func (d delegate) NodeMeta(int) []byte               { return d.p.meta }
func (d delegate) NotifyMsg([]byte)                  {}
func (d delegate) GetBroadcasts(int, int) [][]byte   { return nil }
func (d delegate) LocalState(bool) []byte            { return nil }
func (d delegate) MergeRemoteState(_ []byte, _ bool) {}

// events takes what memberlist tells of others. It runs under memberlist's own lock and only notes.
type events struct{ p *Pool }

func (e events) NotifyJoin(n *memberlist.Node)   { e.p.note(n, true) }
func (e events) NotifyUpdate(n *memberlist.Node) { e.p.note(n, true) }
func (e events) NotifyLeave(n *memberlist.Node)  { e.p.note(n, false) }

func (p *Pool) note(n *memberlist.Node, alive bool) {
	if n.Name == string(p.cfg.Node.Role)+"-"+p.cfg.Node.ID {
		return
	}
	node, err := wire.DecodeNode(n.Meta)
	if err != nil {
		p.cfg.Logger.Warn("a gossip member tells nonsense of itself", "member", n.Name, "error", err)
		return
	}
	p.mu.Lock()
	if alive {
		p.alive[n.Name] = node
		delete(p.lost, n.Name)
	} else {
		delete(p.alive, n.Name)
		if n.State != memberlist.StateLeft {
			p.lost[n.Name] = gone{address: n.Address(), at: time.Now()}
		}
	}
	p.mu.Unlock()
	if p.cfg.OnChange != nil {
		p.cfg.OnChange(node, alive)
	}
}

// logWriter passes memberlist's own lines on. Its warnings are everyday business of a network.
type logWriter struct{ logger *slog.Logger }

var _ io.Writer = logWriter{}

func (w logWriter) Write(line []byte) (int, error) {
	level := slog.LevelDebug
	if strings.Contains(string(line), "[ERR]") {
		level = slog.LevelWarn
	}
	w.logger.Log(context.Background(), level, "gossip: "+strings.TrimSpace(string(line)))
	return len(line), nil
}
