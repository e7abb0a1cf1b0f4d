package agent

import (
	"path/filepath"

	"overcrank/farm/wire"
	"overcrank/gossip"
)

// setGossipKeys goes on in the pool with other keys.
func (a *agent) setGossipKeys(g wire.Gossip) {
	if a.pool == nil || len(g.Keys) == 0 {
		return
	}
	a.pool.SetSeeds(g.Seeds)
	if err := a.pool.SetKeys(g.Keys); err != nil {
		a.log.Warn("gossip goes on with the keys that it has", "error", err)
	}
}

// gossipNow is how to take part in gossip as far as this machine knows: as the farm told last, else as it told at the enrolment.
func (a *agent) gossipNow() wire.Gossip {
	self := a.self.Now()
	if g := a.farmFile.of(self.Cluster).Gossip; len(g.Keys) > 0 {
		return g
	}
	if len(self.GossipKey) == 0 {
		return wire.Gossip{}
	}
	return wire.Gossip{Keys: [][]byte{self.GossipKey}, Seeds: self.Gossip}
}

// joinGossip takes up gossip. What it finds is a hint, so an agent that cannot gossip only says so; a.pool is nil then.
func (a *agent) joinGossip() (leave func()) {
	now := a.gossipNow()
	if a.cfg.GossipBind == "" || len(now.Keys) == 0 {
		return func() {}
	}
	pool, err := gossip.Join(gossip.Config{
		Bind: a.cfg.GossipBind, PortFile: filepath.Join(a.cfg.DataDir, "gossip.port"), Keys: now.Keys, Label: a.self.Now().Cluster, Seeds: now.Seeds, Logger: a.log,
		Node: a.summary(),
	})
	if err != nil {
		a.log.Warn("working without gossip", "error", err)
		return func() {}
	}
	a.pool = pool
	a.farm.SetGossip(a.coordinatorsMet)
	return func() {
		a.farm.SetGossip(nil)
		if err := pool.Close(); err != nil {
			a.log.Warn("leaving gossip", "error", err)
		}
	}
}

// coordinatorsMet are the addresses that coordinators tell in gossip.
func (a *agent) coordinatorsMet() (addresses []string) {
	for _, node := range a.pool.Members() {
		if node.Role == wire.RoleCoordinator {
			addresses = append(addresses, node.Address)
		}
	}
	return addresses
}

// updateGossip tells the pool what the machine has now.
func (a *agent) updateGossip() {
	if a.pool == nil {
		return
	}
	if err := a.pool.Update(a.summary()); err != nil {
		a.log.Warn("gossip does not know what this machine has now", "error", err)
	}
}
