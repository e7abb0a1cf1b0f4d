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
	// rejoinEvery is about how often a member calls those it misses: memberlist forgets those it has lost for 30 seconds,
	// and two sides of a longer network cut would never find each other again.
	rejoinEvery = 15 * time.Second
	// forgetAfter is how long a lost coordinator is called.
	forgetAfter = 24 * time.Hour
	// callAtOnce is how many lost coordinators are called in one round: one that cannot be reached takes seconds.
	callAtOnce = 3
)

// rejoin calls the seeds, and the coordinators lost since, as long as the membership lasts.
func (p *Pool) rejoin(ctx context.Context) {
	for {
		for _, address := range p.missing(time.Now()) {
			if ctx.Err() != nil {
				return
			}
			if _, err := p.list.Join([]string{address}); err != nil {
				p.cfg.Logger.Debug("a member of the gossip pool does not answer", "address", address, "error", err)
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

// missing is the addresses to call: seeds that are not alive, and a few coordinators that went away not too long ago, also
// those that said good-bye: they come back, and may know nobody then. Nobody calls agents, which call for themselves.
func (p *Pool) missing(now time.Time) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	met := map[string]bool{p.address: true}
	for _, m := range p.alive {
		met[m.address] = true
	}
	var addresses []string
	for _, seed := range p.seeds {
		if !met[seed] {
			addresses = append(addresses, seed)
		}
	}
	calls := 0
	for name, g := range p.lost {
		switch {
		case now.Sub(g.at) > forgetAfter:
			delete(p.lost, name)
		case calls < callAtOnce && !met[g.address] && !slices.Contains(addresses, g.address):
			addresses = append(addresses, g.address)
			calls++
		}
	}
	return addresses
}

// events takes what memberlist tells of others. It runs under memberlist's own lock and only notes.
type events struct{ p *Pool }

// NotifyJoin, NotifyUpdate and NotifyLeave are memberlist's view of a member.
func (e events) NotifyJoin(n *memberlist.Node)   { e.p.note(n, true) }
func (e events) NotifyUpdate(n *memberlist.Node) { e.p.note(n, true) }
func (e events) NotifyLeave(n *memberlist.Node)  { e.p.note(n, false) }

func (p *Pool) note(n *memberlist.Node, alive bool) {
	if n.Name == p.name() {
		return
	}
	node, err := wire.DecodeNode(n.Meta)
	if err != nil {
		p.cfg.Logger.Warn("a gossip member tells nonsense of itself", "member", n.Name, "error", err)
		return
	}
	p.mu.Lock()
	if alive {
		p.alive[n.Name] = member{node, n.Address()}
		delete(p.lost, n.Name)
	} else {
		delete(p.alive, n.Name)
		if node.Role == wire.RoleCoordinator {
			p.lost[n.Name] = gone{address: n.Address(), at: time.Now()}
		}
	}
	p.mu.Unlock()
	if p.cfg.OnChange != nil {
		p.cfg.OnChange(node, alive)
	}
}
