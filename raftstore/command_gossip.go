package raftstore

import "overcrank/farm"

// KindPutGossipRing is the kind of the command about the keys of gossip.
const KindPutGossipRing Kind = 120

// PutGossipRing replaces the keys of gossip. It is refused when Ring.Revision is not the one in force, which the change was not made
// from; the ring that counts then has the next one.
type PutGossipRing struct{ Ring farm.GossipRing }

func (PutGossipRing) kind() Kind { return KindPutGossipRing }
