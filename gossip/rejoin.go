package gossip

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hashicorp/memberlist"

	"overcrank/farm/wire"
)

const (
	// rejoinEvery is how often, give or take a fifth, a member tries to reconnect to missing ones. memberlist forgets members that have
	// been dead for 30 seconds, so without this the two sides of a longer network partition would never find each other again.
	rejoinEvery = 15 * time.Second
	// forgetAfter is how long reconnecting to a lost coordinator is tried.
	forgetAfter = 24 * time.Hour
	// lostPerRound is how many lost coordinators are tried in one round, since each that cannot be reached takes seconds.
	lostPerRound = 3
)

// rejoin reconnects to missing seeds and lost coordinators until ctx ends.
func (p *Pool) rejoin(ctx context.Context) {
	for {
		for _, address := range p.missing(time.Now()) {
			if ctx.Err() != nil {
				return
			}
			if _, err := p.list.Join([]string{address}); err != nil {
				p.cfg.Logger.Debug("cannot reconnect to a gossip member", "address", address, "error", err)
			}
		}
		timer := time.NewTimer(rejoinEvery + rand.N(rejoinEvery/5))
		select {
		case <-timer.C:
		case <-p.wake:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// missing returns the addresses to reconnect to: seeds that are not alive, and a few of the lost coordinators, including those that left
// in order, since they may come back without knowing anybody. Agents reconnect by themselves.
func (p *Pool) missing(now time.Time) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := map[string]bool{p.address: true}
	for _, m := range p.alive {
		known[m.address] = true
	}
	var addresses []string
	for _, seed := range p.seeds {
		if !known[seed] {
			addresses = append(addresses, seed)
		}
	}
	tried := 0
	for name, g := range p.lost {
		switch {
		case now.Sub(g.at) > forgetAfter:
			delete(p.lost, name)
		case tried < lostPerRound && !known[g.address] && !slices.Contains(addresses, g.address):
			addresses = append(addresses, g.address)
			tried++
		}
	}
	return addresses
}

// events receives memberlist's news of other members. It is called with memberlist's lock held, so it calls nothing of memberlist.
type events struct{ p *Pool }

// NotifyJoin, NotifyUpdate and NotifyLeave implement memberlist.EventDelegate.
func (e events) NotifyJoin(n *memberlist.Node)   { e.p.memberChanged(n, true) }
func (e events) NotifyUpdate(n *memberlist.Node) { e.p.memberChanged(n, true) }
func (e events) NotifyLeave(n *memberlist.Node)  { e.p.memberChanged(n, false) }

func (p *Pool) memberChanged(n *memberlist.Node, alive bool) {
	if n.Name == p.name() {
		return
	}
	node, err := wire.DecodeNode(n.Meta)
	if err != nil {
		p.cfg.Logger.Warn("a gossip member sent a description that cannot be decoded", "member", n.Name, "error", err)
		return
	}
	p.mu.Lock()
	if alive {
		p.alive[n.Name] = member{node, n.Address()}
		delete(p.lost, n.Name)
	} else {
		delete(p.alive, n.Name)
		if node.Role == wire.RoleCoordinator {
			p.lost[n.Name] = lostMember{address: n.Address(), at: time.Now()}
		}
	}
	p.mu.Unlock()
	if p.cfg.OnChange != nil {
		p.cfg.OnChange(node, alive)
	}
}
