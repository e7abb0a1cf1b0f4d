package command

import "overcrank/farm"

// PutGossipRing replaces the keys of gossip. It is refused when Ring.Revision is not the one in force, which the change was not made
// from; the ring that counts then has the next one.
type PutGossipRing struct{ Ring farm.GossipRing }

func (PutGossipRing) Needs() int { return ClusterLevel }
