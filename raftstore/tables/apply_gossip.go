package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// gossipRingKey is the key of the one record in its bucket.
const gossipRingKey = "ring"

func (t *tables) gossipRing() farm.GossipRing {
	ring, _ := get[farm.GossipRing](t, bucketGossip, gossipRingKey)
	return ring
}

func (t *tables) putGossipRing(c command.PutGossipRing) command.Result {
	ring := c.Ring
	if now := t.gossipRing(); ring.Revision != now.Revision {
		return refusef(farm.CodeConflict, "the keys of gossip have changed meanwhile: this was made from revision %d, and %d is in force", ring.Revision, now.Revision)
	}
	if problem := ring.Problem(); problem != "" {
		return refusef(farm.CodeInvalid, "the keys of gossip cannot be changed so: %s", problem)
	}
	ring.Revision++
	put(t, bucketGossip, gossipRingKey, ring)
	return command.Result{}
}

// GossipRing reads the keys of gossip, sealed; the zero value while the farm has never changed them.
func (tx *Tx) GossipRing() (farm.GossipRing, error) { return tx.t.gossipRing(), tx.t.err }
