package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"

	"overcrank/coordinator/farmkeys"
	"overcrank/coordinator/seal"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/gossip"
	"overcrank/inbound"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// A key of gossip is changed in three steps, so that no member ever hears what it cannot read: the new key is given to all, then all write
// with it, then the one before goes. Machines that sleep meanwhile hear of it when they come back, over their own session.
const (
	// GossipSpread is how long a new key is given to members before it is written with.
	GossipSpread = 10 * time.Minute
	// GossipKeep is how long the key before it is read with after that.
	GossipKeep = 24 * time.Hour

	shortestSpread = time.Second
	longestTurn    = 90 * 24 * time.Hour
	lookAtGossip   = 500 * time.Millisecond
)

// GossipConfig says how this coordinator takes part in gossip.
type GossipConfig struct {
	Bind      string                                // host:port; "" takes part in none
	Elsewhere bool                                  // take another port, or this machine alone, where Bind cannot be had
	PortFile  string                                // remembers the port
	Seeds     []string                              // addresses to begin with
	Label     string                                // of the farm's pool
	Streams   *inbound.Gate                         // bounds streams; nil for gossip's own bound
	Derive    func(purpose string, size int) []byte // makes keys of the farm's key
	Node      wire.Node                             // this coordinator
	Logger    *slog.Logger
}

// Gossip is this coordinator's part in the pool where coordinators and agents find each other, and the keys that its members speak with.
type Gossip struct {
	cfg   GossipConfig
	log   *slog.Logger
	state *state.State
	farm  Farm
	pool  *gossip.Pool // nil without gossip
	taken int          // revision of the keys with which the pool was joined
}

// NewGossip takes part in nothing until Join is called.
func NewGossip(cfg GossipConfig, s *state.State, f Farm) *Gossip {
	return &Gossip{cfg: cfg, log: cfg.Logger, state: s, farm: f}
}

// Join joins the pool.
func (g *Gossip) Join() error {
	if g.cfg.Bind == "" {
		return nil
	}
	ring, err := g.current()
	if err != nil {
		return err
	}
	keys, err := g.open(ring)
	if err != nil {
		g.log.Error("gossip begins with the key that the farm began with", "error", err)
		keys = [][]byte{g.firstKey()}
	}
	g.taken = ring.Revision
	binds := []string{g.cfg.Bind}
	if host, _, err := net.SplitHostPort(g.cfg.Bind); err == nil && g.cfg.Elsewhere {
		binds = append(binds, net.JoinHostPort(host, "0"), "127.0.0.1:0")
	}
	for i, bind := range binds {
		if err = g.joinAt(bind, keys); err == nil {
			break
		}
		if i+1 < len(binds) {
			g.log.Warn("gossip goes on elsewhere", "wanted", bind, "next", binds[i+1], "error", err)
		}
	}
	return err
}

func (g *Gossip) joinAt(bind string, keys [][]byte) (err error) {
	g.pool, err = gossip.Join(gossip.Config{
		Bind: bind, PortFile: g.cfg.PortFile, Keys: keys, Seeds: g.cfg.Seeds, Label: g.cfg.Label, Logger: g.log, Streams: g.cfg.Streams,
		Node: g.cfg.Node, OnChange: func(n wire.Node, _ bool) { g.farm.MachineSeen(n.ID) },
	})
	return err
}

// Members are those of the pool; none without gossip.
func (g *Gossip) Members() []wire.Node {
	if g.pool == nil {
		return nil
	}
	return g.pool.Members()
}

// Leave tells the pool that this coordinator goes.
func (g *Gossip) Leave() {
	if g.pool != nil {
		g.pool.Leave()
	}
}

// Close ends what Join began.
func (g *Gossip) Close() error {
	if g.pool == nil {
		return nil
	}
	return g.pool.Close()
}

// current is the keys of gossip. A farm that never changed them has the one that is derived from its key file.
func (g *Gossip) current() (ring farm.GossipRing, err error) {
	err = g.state.View(func(tx *raftstore.Tx) (err error) {
		ring, err = tx.GossipRing()
		return err
	})
	if err != nil {
		return ring, fmt.Errorf("reading the keys of gossip: %w", err)
	}
	if ring.Revision > 0 {
		return ring, nil
	}
	first, err := g.seal(g.firstKey())
	ring.Keys = []farm.GossipKey{first}
	return ring, err
}

// firstKey is the key that every farm begins with.
func (g *Gossip) firstKey() []byte { return g.cfg.Derive("gossip", gossip.KeySize) }

// box seals the keys of gossip with a key of the farm's key file, which every coordinator has and which is not in the state.
func (g *Gossip) box() (*seal.Box, error) {
	return seal.NewBox(g.cfg.Derive("gossip ring", 32))
}

func ownerOfGossipKey(id string) string { return "gossip key " + id }

func (g *Gossip) seal(key []byte) (farm.GossipKey, error) {
	box, err := g.box()
	if err != nil {
		return farm.GossipKey{}, err
	}
	id := gossip.Fingerprint(key)
	return farm.GossipKey{ID: id, Sealed: box.Seal(ownerOfGossipKey(id), key)}, nil
}

// open are the keys of a ring in their order.
func (g *Gossip) open(ring farm.GossipRing) ([][]byte, error) {
	box, err := g.box()
	if err != nil {
		return nil, err
	}
	keys := make([][]byte, len(ring.Keys))
	for i, key := range ring.Keys {
		if keys[i], err = box.Open(ownerOfGossipKey(key.ID), key.Sealed); err != nil {
			return nil, fmt.Errorf("the key %s of gossip was sealed with another %s than this coordinator has: %w", key.ID, farmkeys.FarmFile, err)
		}
	}
	return keys, nil
}

// ForAgents is how agents take part in gossip; nil when this coordinator does not gossip, or cannot tell.
func (g *Gossip) ForAgents() *wire.Gossip {
	if g.pool == nil {
		return nil
	}
	ring, err := g.current()
	if err != nil {
		g.log.Error("agents are not told how to gossip", "error", err)
		return nil
	}
	keys, err := g.open(ring)
	if err != nil {
		g.log.Error("agents are not told how to gossip", "error", err)
		return nil
	}
	return &wire.Gossip{Keys: keys, Seeds: g.pool.Seeds()}
}

// Keys are the keys of gossip, without what they are sealed as. It is for administrators of the farm.
func (g *Gossip) Keys(_ context.Context, p farm.Principal) (farm.GossipRing, error) {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return farm.GossipRing{}, err
	}
	ring, err := g.current()
	return withoutKeys(ring), err
}

func withoutKeys(ring farm.GossipRing) farm.GossipRing {
	ring.Keys = slices.Clone(ring.Keys)
	for i := range ring.Keys {
		ring.Keys[i].Sealed = nil
	}
	return ring
}

// Rotate begins to change the key of gossip: a new one is given to all members at once, written with after spread, and the one
// before it dropped when keep has passed after that. Both are the defaults when 0. It is for administrators of the farm; CodeConflict while
// a change is under way.
func (g *Gossip) Rotate(ctx context.Context, p farm.Principal, spread, keep time.Duration) (farm.GossipRing, error) {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return farm.GossipRing{}, err
	}
	if spread == 0 {
		spread = GossipSpread
	}
	if keep == 0 {
		keep = GossipKeep
	}
	if spread < shortestSpread || keep < shortestSpread || spread > longestTurn || keep > longestTurn {
		return farm.GossipRing{}, farm.Invalid("the key of gossip cannot be changed so", farm.FieldError{
			Field: "spreadSeconds", Message: fmt.Sprintf("both times are %v to %v", shortestSpread, longestTurn)})
	}
	ring, err := g.current()
	if err != nil {
		return farm.GossipRing{}, err
	}
	if waiting := slices.IndexFunc(ring.Keys, func(key farm.GossipKey) bool { return !key.UseAt.IsZero() }); waiting > 0 {
		return farm.GossipRing{}, farm.Errorf(farm.CodeConflict, "the key of gossip is being changed already: the key %s comes into use at %s; try again after that",
			ring.Keys[waiting].ID, ring.Keys[waiting].UseAt.UTC().Format(time.RFC3339))
	}
	if len(ring.Keys) == farm.MostGossipKeys {
		return farm.GossipRing{}, farm.Errorf(farm.CodeConflict, "%d keys of gossip are in use still; try again when the oldest has gone, at %s", farm.MostGossipKeys, ring.Keys[len(ring.Keys)-1].DropAt.UTC().Format(time.RFC3339))
	}
	fresh := make([]byte, gossip.KeySize)
	_, _ = rand.Read(fresh) // crypto/rand never fails: it ends the process instead
	key, err := g.seal(fresh)
	if err != nil {
		return farm.GossipRing{}, err
	}
	ring.At = g.state.Now().UTC()
	key.MadeAt, key.UseAt = ring.At, ring.At.Add(spread)
	ring.Keys = slices.Insert(slices.Clone(ring.Keys), 1, key)
	ring.Keys[0].DropAt = key.UseAt.Add(keep)
	if _, err := g.state.Apply(ctx, command.PutGossipRing{Ring: ring}); err != nil {
		return farm.GossipRing{}, err
	}
	ring.Revision++
	g.log.Info("the key of gossip is being changed", "key", key.ID, "by", p.Name, "used", key.UseAt)
	return withoutKeys(ring), nil
}

// turned is the ring after the steps that are due; false when none is.
func turned(ring farm.GossipRing, now time.Time) (farm.GossipRing, bool) {
	next := ring
	next.Keys = slices.Clone(ring.Keys)
	before := slices.DeleteFunc(next.Keys[1:], func(key farm.GossipKey) bool { return !key.DropAt.IsZero() && !now.Before(key.DropAt) })
	next.Keys = next.Keys[:1+len(before)]
	due := len(next.Keys) != len(ring.Keys)
	if i := slices.IndexFunc(next.Keys, func(key farm.GossipKey) bool { return !key.UseAt.IsZero() && !now.Before(key.UseAt) }); i > 0 {
		key := next.Keys[i]
		// A farm that was down when this was due gives its machines as long as was meant.
		next.Keys[0].DropAt = now.Add(next.Keys[0].DropAt.Sub(key.UseAt)).UTC()
		key.UseAt = time.Time{}
		next.Keys = slices.Insert(slices.Delete(next.Keys, i, i+1), 0, key)
		due = true
	}
	next.At = now.UTC()
	return next, due
}

// Run keeps this node's part of the pool, and the agents of a leader, at the keys that the state has, and does the steps of a
// change when they are due.
func (g *Gossip) Run(ctx context.Context) {
	if g.pool == nil {
		return
	}
	ticker := time.NewTicker(lookAtGossip)
	defer ticker.Stop()
	known := g.taken
	var called []string
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		ring, err := g.current()
		if err != nil {
			g.log.Error("the keys of gossip", "error", err)
			continue
		}
		if seeds := g.otherPools(); !slices.Equal(seeds, called) {
			g.pool.SetSeeds(seeds)
			called = seeds
		}
		if ring.Revision != known {
			if err := g.take(ring); err != nil {
				g.log.Error("gossip goes on with the keys that it has", "error", err)
				continue
			}
			known = ring.Revision
		}
		if !g.farm.Works() {
			continue
		}
		if next, due := turned(ring, g.state.Now()); due {
			if _, err := g.state.Apply(ctx, command.PutGossipRing{Ring: next}); err != nil {
				g.log.Warn("the next step of a change of gossip's key waits", "error", err)
				continue
			}
			g.log.Info("the key of gossip changes", "used", next.Keys[0].ID, "keys", len(next.Keys))
		}
	}
}

// otherPools are the addresses at which the other coordinators take part in gossip.
func (g *Gossip) otherPools() (seeds []string) {
	err := g.state.View(func(tx *raftstore.Tx) error {
		nodes, err := tx.Coordinators()
		for _, node := range nodes {
			if node.Gossip != "" && node.Gossip != g.pool.Address() {
				seeds = append(seeds, node.Gossip)
			}
		}
		return err
	})
	if err != nil {
		g.log.Error("the coordinators to call in gossip", "error", err)
	}
	return seeds
}

// Address is where other members reach this one, "" without gossip.
func (g *Gossip) Address() string {
	if g.pool == nil {
		return ""
	}
	return g.pool.Address()
}

// take goes on with the keys of a ring here, and tells the agents that are linked to a leader.
func (g *Gossip) take(ring farm.GossipRing) error {
	keys, err := g.open(ring)
	if err != nil {
		return err
	}
	if err := g.pool.SetKeys(keys); err != nil {
		return err
	}
	g.farm.TellAgents(wire.Gossip{Keys: keys, Seeds: g.pool.Seeds()})
	return nil
}
