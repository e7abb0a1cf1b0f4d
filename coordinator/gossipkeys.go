package coordinator

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/gossip"
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

// gossipRing is the keys of gossip. A farm that never changed them has the one that is derived from its key file.
func (c *Coordinator) gossipRing() (ring farm.GossipRing, err error) {
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		ring, err = tx.GossipRing()
		return err
	})
	if err != nil {
		return ring, fmt.Errorf("reading the keys of gossip: %w", err)
	}
	if ring.Revision > 0 {
		return ring, nil
	}
	first, err := c.sealGossipKey(c.firstGossipKey())
	ring.Keys = []farm.GossipKey{first}
	return ring, err
}

// firstGossipKey is the key that every farm begins with.
func (c *Coordinator) firstGossipKey() []byte { return c.keys.derive("gossip", gossip.KeySize) }

// gossipBox seals the keys of gossip with a key of the farm's key file, which every coordinator has and which is not in the state.
func (c *Coordinator) gossipBox() (*seal.Box, error) {
	return seal.NewBox(c.keys.derive("gossip ring", 32))
}

func ownerOfGossipKey(id string) string { return "gossip key " + id }

func (c *Coordinator) sealGossipKey(key []byte) (farm.GossipKey, error) {
	box, err := c.gossipBox()
	if err != nil {
		return farm.GossipKey{}, err
	}
	id := gossip.Fingerprint(key)
	return farm.GossipKey{ID: id, Sealed: box.Seal(ownerOfGossipKey(id), key)}, nil
}

// openGossipKeys are the keys of a ring in their order.
func (c *Coordinator) openGossipKeys(ring farm.GossipRing) ([][]byte, error) {
	box, err := c.gossipBox()
	if err != nil {
		return nil, err
	}
	keys := make([][]byte, len(ring.Keys))
	for i, key := range ring.Keys {
		if keys[i], err = box.Open(ownerOfGossipKey(key.ID), key.Sealed); err != nil {
			return nil, fmt.Errorf("the key %s of gossip was sealed with another %s than this coordinator has: %w", key.ID, farmKeyFile, err)
		}
	}
	return keys, nil
}

// gossipForAgents is how agents take part in gossip; nil when this coordinator does not gossip, or cannot tell.
func (c *Coordinator) gossipForAgents() *wire.Gossip {
	if c.pool == nil {
		return nil
	}
	ring, err := c.gossipRing()
	if err != nil {
		c.log.Error("agents are not told how to gossip", "error", err)
		return nil
	}
	keys, err := c.openGossipKeys(ring)
	if err != nil {
		c.log.Error("agents are not told how to gossip", "error", err)
		return nil
	}
	return &wire.Gossip{Keys: keys, Seeds: c.pool.Seeds()}
}

// GossipKeys are the keys of gossip, without what they are sealed as. It is for administrators of the farm.
func (c *Coordinator) GossipKeys(_ context.Context, p farm.Principal) (farm.GossipRing, error) {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return farm.GossipRing{}, err
	}
	ring, err := c.gossipRing()
	return withoutKeys(ring), err
}

func withoutKeys(ring farm.GossipRing) farm.GossipRing {
	ring.Keys = slices.Clone(ring.Keys)
	for i := range ring.Keys {
		ring.Keys[i].Sealed = nil
	}
	return ring
}

// RotateGossipKey begins to change the key of gossip: a new one is given to all members at once, written with after spread, and the one
// before it dropped when keep has passed after that. Both are the defaults when 0. It is for administrators of the farm; CodeConflict while
// a change is under way.
func (c *Coordinator) RotateGossipKey(ctx context.Context, p farm.Principal, spread, keep time.Duration) (farm.GossipRing, error) {
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
	ring, err := c.gossipRing()
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
	key, err := c.sealGossipKey(fresh)
	if err != nil {
		return farm.GossipRing{}, err
	}
	ring.At = c.cfg.Now().UTC()
	key.MadeAt, key.UseAt = ring.At, ring.At.Add(spread)
	ring.Keys = slices.Insert(slices.Clone(ring.Keys), 1, key)
	ring.Keys[0].DropAt = key.UseAt.Add(keep)
	if _, err := c.state.Apply(ctx, command.PutGossipRing{Ring: ring}); err != nil {
		return farm.GossipRing{}, err
	}
	ring.Revision++
	c.log.Info("the key of gossip is being changed", "key", key.ID, "by", p.Name, "used", key.UseAt)
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

// keepGossip keeps this node's part of the pool, and the agents of a leader, at the keys that the state has, and does the steps of a
// change when they are due.
func (c *Coordinator) keepGossip(ctx context.Context) {
	if c.pool == nil {
		return
	}
	ticker := time.NewTicker(lookAtGossip)
	defer ticker.Stop()
	known := c.ringTaken
	var called []string
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		ring, err := c.gossipRing()
		if err != nil {
			c.log.Error("the keys of gossip", "error", err)
			continue
		}
		if seeds := c.otherPools(); !slices.Equal(seeds, called) {
			c.pool.Call(seeds)
			called = seeds
		}
		l := c.leading()
		if ring.Revision != known {
			if err := c.takeGossipKeys(ring, l); err != nil {
				c.log.Error("gossip goes on with the keys that it has", "error", err)
				continue
			}
			known = ring.Revision
		}
		if l == nil {
			continue
		}
		if next, due := turned(ring, c.cfg.Now()); due {
			if _, err := c.state.Apply(ctx, command.PutGossipRing{Ring: next}); err != nil {
				c.log.Warn("the next step of a change of gossip's key waits", "error", err)
				continue
			}
			c.log.Info("the key of gossip changes", "used", next.Keys[0].ID, "keys", len(next.Keys))
		}
	}
}

// otherPools are the addresses at which the other coordinators take part in gossip.
func (c *Coordinator) otherPools() (seeds []string) {
	err := c.store.View(func(tx *raftstore.Tx) error {
		nodes, err := tx.Coordinators()
		for _, node := range nodes {
			if node.Gossip != "" && node.Gossip != c.pool.Address() {
				seeds = append(seeds, node.Gossip)
			}
		}
		return err
	})
	if err != nil {
		c.log.Error("the coordinators to call in gossip", "error", err)
	}
	return seeds
}

// gossipAddress is where other members reach this one, "" without gossip.
func (c *Coordinator) gossipAddress() string {
	if c.pool == nil {
		return ""
	}
	return c.pool.Address()
}

// takeGossipKeys goes on with the keys of a ring here, and tells the agents that are linked to a leader.
func (c *Coordinator) takeGossipKeys(ring farm.GossipRing, l *leader) error {
	keys, err := c.openGossipKeys(ring)
	if err != nil {
		return err
	}
	if err := c.pool.SetKeys(keys); err != nil {
		return err
	}
	if l != nil {
		l.tellAll(wire.Message{Gossip: &wire.Gossip{Keys: keys, Seeds: c.pool.Seeds()}})
	}
	return nil
}
