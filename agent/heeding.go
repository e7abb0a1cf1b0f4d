package agent

import (
	"path/filepath"

	"overcrank/farm/wire"
	"overcrank/gossip"
)

// recall takes up what the farm told in an earlier run.
func (a *agent) recall() {
	kept, err := readTold(a.cfg.DataDir)
	if err != nil {
		a.log.Warn("the farm has to tell of itself again", "error", err)
	}
	a.told = kept
	a.farm.SetAddresses(kept.of(a.self.now().Cluster).Coordinators)
}

// heed takes up what the farm tells of itself when it welcomes this machine.
func (a *agent) heed(welcome wire.Welcome) {
	a.addresses.Store(&welcome.Addresses)
	if welcome.Coordinators != nil {
		a.heedCoordinators(welcome.Coordinators)
	}
	a.note(func(f *toldFarm) {
		if welcome.Gossip != nil {
			f.Gossip = *welcome.Gossip
		}
	})
	if welcome.Gossip != nil {
		a.turnKeys(*welcome.Gossip)
	}
}

// heedCoordinators takes note of who the farm's coordinators are now.
func (a *agent) heedCoordinators(addresses []string) {
	if len(addresses) == 0 {
		return // the one that says so is none either: what is known is kept
	}
	a.farm.SetAddresses(addresses)
	a.note(func(f *toldFarm) { f.Coordinators = addresses })
}

// heedGossip takes up other keys of gossip.
func (a *agent) heedGossip(g wire.Gossip) {
	a.note(func(f *toldFarm) { f.Gossip = g })
	a.turnKeys(g)
}

func (a *agent) note(change func(*toldFarm)) {
	if err := a.told.note(a.self.now().Cluster, change); err != nil {
		a.log.Warn("the farm has to tell of itself again after the next start", "error", err)
	}
}

// turnKeys goes on in the pool with other keys.
func (a *agent) turnKeys(g wire.Gossip) {
	if a.pool == nil || len(g.Keys) == 0 {
		return
	}
	a.pool.Call(g.Seeds)
	if err := a.pool.SetKeys(g.Keys); err != nil {
		a.log.Warn("gossip goes on with the keys that it has", "error", err)
	}
}

// gossipNow is how to take part in gossip as far as this machine knows: as the farm told last, else as it told at the enrolment.
func (a *agent) gossipNow() wire.Gossip {
	self := a.self.now()
	if g := a.told.of(self.Cluster).Gossip; len(g.Keys) > 0 {
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
		Bind: a.cfg.GossipBind, PortFile: filepath.Join(a.cfg.DataDir, "gossip.port"), Keys: now.Keys, Label: a.self.now().Cluster, Seeds: now.Seeds, Logger: a.log,
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

// tellGossip tells the pool what the machine has now.
func (a *agent) tellGossip() {
	if a.pool == nil {
		return
	}
	if err := a.pool.Update(a.summary()); err != nil {
		a.log.Warn("gossip does not know what this machine has now", "error", err)
	}
}
