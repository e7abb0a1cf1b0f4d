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

// A gossip key is rotated in three steps, so that no member ever receives what it cannot read: all get the new key, then all write with
// it, then the old one is dropped. A machine that slept meanwhile gets the keys with its next session.
const (
	// GossipSpread is how long members know a new key before it is used.
	GossipSpread = 10 * time.Minute
	// GossipKeep is how long the old key is accepted after that.
	GossipKeep = 24 * time.Hour

	minGossipStep    = time.Second
	maxGossipStep    = 90 * 24 * time.Hour
	gossipCheckEvery = 500 * time.Millisecond
)

// GossipConfig configures a Gossip.
type GossipConfig struct {
	Bind      string                                // host:port; "" for no gossip
	Elsewhere bool                                  // use another port, or only this machine, if Bind is taken
	PortFile  string                                // stores the port
	Seeds     []string                              // addresses of first members
	Label     string                                // name of the farm's pool
	Streams   *inbound.Gate                         // limits streams; nil for gossip's default
	Derive    func(purpose string, size int) []byte // derives keys from the farm's key
	Node      wire.Node                             // this coordinator
	Logger    *slog.Logger
}

// Gossip is this coordinator's membership of the pool in which coordinators and agents find each other, and the keys of that pool.
type Gossip struct {
	cfg   GossipConfig
	log   *slog.Logger
	state *state.State
	farm  Farm
	pool  *gossip.Pool // nil without gossip
	taken int          // revision of the keys with which it joined
}

// NewGossip returns a Gossip that is in no pool until Join is called.
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
		g.log.Error("gossip falls back to the farm's first key", "error", err)
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
			g.log.Warn("gossip uses another address", "wanted", bind, "next", binds[i+1], "error", err)
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

// Members returns the members of the pool; none without gossip.
func (g *Gossip) Members() []wire.Node {
	if g.pool == nil {
		return nil
	}
	return g.pool.Members()
}

// Leave announces to the pool that this coordinator leaves.
func (g *Gossip) Leave() {
	if g.pool != nil {
		g.pool.Leave()
	}
}

// Close undoes Join.
func (g *Gossip) Close() error {
	if g.pool == nil {
		return nil
	}
	return g.pool.Close()
}

// current returns the gossip keys. A farm that never rotated them has the one derived from its key file.
func (g *Gossip) current() (ring farm.GossipRing, err error) {
	err = g.state.View(func(tx *raftstore.Tx) (err error) {
		ring, err = tx.GossipRing()
		return err
	})
	if err != nil {
		return ring, fmt.Errorf("reading the gossip keys: %w", err)
	}
	if ring.Revision > 0 {
		return ring, nil
	}
	first, err := g.seal(g.firstKey())
	ring.Keys = []farm.GossipKey{first}
	return ring, err
}

// firstKey is the gossip key of every new farm.
func (g *Gossip) firstKey() []byte { return g.cfg.Derive("gossip", gossip.KeySize) }

// box seals gossip keys with a key derived from the farm's key file, which every coordinator has and the state does not.
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

// open decrypts the keys of a ring, in order.
func (g *Gossip) open(ring farm.GossipRing) ([][]byte, error) {
	box, err := g.box()
	if err != nil {
		return nil, err
	}
	keys := make([][]byte, len(ring.Keys))
	for i, key := range ring.Keys {
		if keys[i], err = box.Open(ownerOfGossipKey(key.ID), key.Sealed); err != nil {
			return nil, fmt.Errorf("the gossip key %s was sealed with another %s than this coordinator's: %w", key.ID, farmkeys.FarmFile, err)
		}
	}
	return keys, nil
}

// ForAgents returns the gossip settings for agents; nil when this coordinator does not gossip, or cannot read the keys.
func (g *Gossip) ForAgents() *wire.Gossip {
	if g.pool == nil {
		return nil
	}
	ring, err := g.current()
	if err != nil {
		g.log.Error("agents get no gossip settings", "error", err)
		return nil
	}
	keys, err := g.open(ring)
	if err != nil {
		g.log.Error("agents get no gossip settings", "error", err)
		return nil
	}
	return &wire.Gossip{Keys: keys, Seeds: g.pool.Seeds()}
}

// Keys lists the gossip keys without their sealed content. It is for administrators of the farm.
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

// Rotate begins to rotate the gossip key: all members get a new one at once, use it after spread, and drop the old one keep later. 0
// stands for the defaults. It is for administrators of the farm; CodeConflict during a rotation.
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
	if spread < minGossipStep || keep < minGossipStep || spread > maxGossipStep || keep > maxGossipStep {
		return farm.GossipRing{}, farm.Invalid("invalid times for the rotation of the gossip key", farm.Field("spreadSeconds", "both times must be between %v and %v", minGossipStep, maxGossipStep))
	}
	ring, err := g.current()
	if err != nil {
		return farm.GossipRing{}, err
	}
	if waiting := slices.IndexFunc(ring.Keys, func(key farm.GossipKey) bool { return !key.UseAt.IsZero() }); waiting > 0 {
		return farm.GossipRing{}, farm.Errorf(farm.CodeConflict, "the gossip key is being rotated already: key %s is used from %s on; try again after that",
			ring.Keys[waiting].ID, ring.Keys[waiting].UseAt.UTC().Format(time.RFC3339))
	}
	if len(ring.Keys) == farm.MostGossipKeys {
		return farm.GossipRing{}, farm.Errorf(farm.CodeConflict, "%d gossip keys are still in use; try again when the oldest is dropped, at %s", farm.MostGossipKeys, ring.Keys[len(ring.Keys)-1].DropAt.UTC().Format(time.RFC3339))
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
	g.log.Info("rotating the gossip key", "key", key.ID, "by", p.Name, "used", key.UseAt)
	return withoutKeys(ring), nil
}

// turned returns the ring after the steps that are due; false when none is.
func turned(ring farm.GossipRing, now time.Time) (farm.GossipRing, bool) {
	next := ring
	next.Keys = slices.Clone(ring.Keys)
	before := slices.DeleteFunc(next.Keys[1:], func(key farm.GossipKey) bool { return !key.DropAt.IsZero() && !now.Before(key.DropAt) })
	next.Keys = next.Keys[:1+len(before)]
	due := len(next.Keys) != len(ring.Keys)
	if i := slices.IndexFunc(next.Keys, func(key farm.GossipKey) bool { return !key.UseAt.IsZero() && !now.Before(key.UseAt) }); i > 0 {
		key := next.Keys[i]
		// If the farm was down when this was due, its machines still get the intended time.
		next.Keys[0].DropAt = now.Add(next.Keys[0].DropAt.Sub(key.UseAt)).UTC()
		key.UseAt = time.Time{}
		next.Keys = slices.Insert(slices.Delete(next.Keys, i, i+1), 0, key)
		due = true
	}
	next.At = now.UTC()
	return next, due
}

// Run applies the keys in the state to this node's pool and its agents, and, on the leader, carries out the steps of a rotation when they
// are due.
func (g *Gossip) Run(ctx context.Context) {
	if g.pool == nil {
		return
	}
	ticker := time.NewTicker(gossipCheckEvery)
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
			g.log.Error("reading the gossip keys", "error", err)
			continue
		}
		if seeds := g.otherPools(); !slices.Equal(seeds, called) {
			g.pool.SetSeeds(seeds)
			called = seeds
		}
		if ring.Revision != known {
			if err := g.take(ring); err != nil {
				g.log.Error("gossip keeps its old keys", "error", err)
				continue
			}
			known = ring.Revision
		}
		if !g.farm.Works() {
			continue
		}
		if next, due := turned(ring, g.state.Now()); due {
			if _, err := g.state.Apply(ctx, command.PutGossipRing{Ring: next}); err != nil {
				g.log.Warn("the next step of the gossip key's rotation is delayed", "error", err)
				continue
			}
			g.log.Info("rotated the gossip key", "used", next.Keys[0].ID, "keys", len(next.Keys))
		}
	}
}

// otherPools returns the gossip addresses of the other coordinators.
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
		g.log.Error("reading the gossip addresses of the coordinators", "error", err)
	}
	return seeds
}

// Address is this member's address in the pool, "" without gossip.
func (g *Gossip) Address() string {
	if g.pool == nil {
		return ""
	}
	return g.pool.Address()
}

// take applies the keys of a ring to the pool, and sends them to connected agents.
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
