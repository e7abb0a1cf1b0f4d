//go:build linux

package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"overcrank/cmd/overcrank/chaos/hosts"
	"overcrank/faults"
)

// fault is something that befalls the farm for a while.
type fault struct {
	name  string
	begin func()
	end   func()
}

// misfortune makes faults, one after the other and sometimes two at once, in an order that follows from the seed.
type misfortune struct {
	farm    *farm
	history *history
	chance  *rand.Rand
	leader  func() *member // nil when nobody knows

	mu      sync.Mutex
	under   []string // under way
	counted map[string]int
	told    []string
}

func newMisfortune(f *farm, h *history, seed uint64, leader func() *member) *misfortune {
	return &misfortune{farm: f, history: h, chance: rand.New(rand.NewPCG(seed, 0xfa17)), leader: leader, counted: map[string]int{}}
}

// shortest and longest are how long a fault lasts.
const (
	shortestFault = 300 * time.Millisecond
	longestFault  = 9 * time.Second
)

// run makes faults until ctx ends, and ends all of them.
func (m *misfortune) run(ctx context.Context) {
	var under sync.WaitGroup
	defer under.Wait()
	for rest(ctx, 200*time.Millisecond+m.within(2*time.Second)) {
		f := m.choose()
		lasts := shortestFault + m.within(longestFault-shortestFault)
		if m.chance.IntN(2) == 0 {
			lasts = shortestFault + lasts/4
		}
		if m.underWay() >= 2 {
			continue
		}
		m.begin(f)
		under.Go(func() {
			rest(ctx, lasts)
			m.end(f)
		})
	}
}

func (m *misfortune) within(d time.Duration) time.Duration {
	return time.Duration(m.chance.Int64N(int64(d)))
}

func (m *misfortune) underWay() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.under)
}

func (m *misfortune) begin(f fault) {
	m.mu.Lock()
	m.under = append(m.under, f.name)
	kind, _, _ := strings.Cut(f.name, ":")
	m.counted[kind]++
	m.told = append(m.told, fmt.Sprintf("%9.3f begins %s", m.history.now().Seconds(), f.name))
	m.mu.Unlock()
	f.begin()
}

func (m *misfortune) end(f fault) {
	f.end()
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.under, f.name); i >= 0 {
		m.under = slices.Delete(m.under, i, i+1)
	}
	m.told = append(m.told, fmt.Sprintf("%9.3f ends   %s", m.history.now().Seconds(), f.name))
}

// now is what is under way.
func (m *misfortune) now() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.under, ", ")
}

// choose makes the next fault.
func (m *misfortune) choose() fault {
	node, agent := m.node(), m.farm.agents[m.chance.IntN(len(m.farm.agents))]
	if m.farm.store != nil && m.chance.IntN(6) == 0 {
		return m.ofStorage()
	}
	if len(m.farm.members) == 1 {
		return pick(m.chance, m.ofNode(node), m.ofAgent(agent, node), m.ofAgent(agent, node))
	}
	return pick(m.chance, m.ofNode(node), m.ofNode(node), m.ofNetwork(node), m.ofNetwork(node), m.ofNetwork(node), m.ofAgent(agent, node), m.ofAgent(agent, node), m.ofAll())
}

func pick[T any](chance *rand.Rand, from ...T) T { return from[chance.IntN(len(from))] }

// node is a coordinator, every other time the leader.
func (m *misfortune) node() *member {
	any := pick(m.chance, m.farm.members...)
	if m.chance.IntN(2) == 0 {
		if leader := m.leader(); leader != nil {
			return leader
		}
	}
	return any
}

// ofNode is what befalls one coordinator's machine.
func (m *misfortune) ofNode(node *member) fault {
	again := func() { m.must(node.start()) }
	machine := func(name, line string) fault {
		return fault{name, func() { m.must(os.WriteFile(node.faults, []byte(line+"\n"), 0o600)) }, func() { _ = os.Remove(node.faults) }}
	}
	transfer := func() {
		go func() {
			_ = node.door.ask(context.Background(), http.MethodPost, "/api/farm/v1/cluster/transfer", "", nil, nil)
		}()
	}
	return pick(m.chance,
		fault{"hand over: the lead, says " + node.name, transfer, func() {}},
		machine("slow disk: "+node.name, fmt.Sprintf("sync %v", 50*time.Millisecond+m.within(400*time.Millisecond).Round(time.Millisecond))),
		machine("full disk: "+node.name, "disk full"),
		machine("clock: "+node.name+" an hour ahead", "clock +1h"),
		fault{"kill: " + node.name, node.kill, again},
		fault{"kill: " + node.name, node.kill, again},
		fault{"kill: " + node.name, node.kill, again},
		fault{"freeze: " + node.name, node.freeze, node.thaw},
		fault{"reload: " + node.name, func() { m.reload(node) }, again}, // one that was just started does not listen for the signal yet, and ends of it
		fault{"restart: " + node.name, func() { m.obey(node.process) }, again},
	)
}

// reload has a coordinator read its settings again, which are others now. One that is down finds them when it starts.
func (m *misfortune) reload(node *member) {
	m.must(node.configure(func() { node.hours++ }))
	node.signal(syscall.SIGHUP)
}

// obey stops a program in order.
func (m *misfortune) obey(p *process) {
	if !p.stop() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.told = append(m.told, fmt.Sprintf("%9.3f %s did not stop when it was asked to, and was killed", m.history.now().Seconds(), p.name))
	}
}

// must is for what only a broken test machine fails at.
func (m *misfortune) must(err error) {
	if err != nil {
		panic(err)
	}
}

// ofNetwork is what befalls the network around one coordinator.
func (m *misfortune) ofNetwork(node *member) fault {
	var others, all []*hosts.Host
	for _, o := range m.farm.members {
		if o != node {
			others = append(others, o.host)
		}
	}
	all = slices.Clone(others)
	for _, a := range m.farm.agents {
		all = append(all, a.host)
	}
	cut := hosts.Fault{Cut: true}
	slow := hosts.Fault{Delay: 20*time.Millisecond + m.within(130*time.Millisecond), Jitter: 60 * time.Millisecond}
	lossy := hosts.Fault{Loss: 0.03 + 0.25*m.chance.Float64()}
	pair := []*hosts.Host{pick(m.chance, others...)}
	return pick(m.chance,
		m.between("isolate: "+node.name+" from the other coordinators", node.host, others, cut, true, true),
		m.between("isolate: "+node.name+" from coordinators and agents", node.host, all, cut, true, true),
		m.between("isolate: "+node.name+" from all", node.host, append(slices.Clone(all), m.farm.lab.Desk), cut, true, true),
		m.between("mute: "+node.name+" hears and is not heard by coordinators", node.host, others, cut, true, false),
		m.between("deaf: "+node.name+" is heard by coordinators and does not hear", node.host, others, cut, false, true),
		m.between("part: "+node.name+" and "+pair[0].Name, node.host, pair, cut, true, true),
		m.between("mute: "+node.name+" towards "+pair[0].Name, node.host, pair, cut, true, false),
		m.between(fmt.Sprintf("slow: %s by %v", node.name, slow.Delay.Round(time.Millisecond)), node.host, all, slow, true, true),
		m.between(fmt.Sprintf("lossy: %s by %.0f %%", node.name, 100*lossy.Loss), node.host, all, lossy, true, true),
	)
}

// between is a fault of the wires between one host and others.
func (m *misfortune) between(name string, one *hosts.Host, others []*hosts.Host, f hosts.Fault, out, in bool) fault {
	set := func(f hosts.Fault) func() {
		return func() {
			for _, o := range others {
				if out {
					m.farm.lab.Set(one, o, f)
				}
				if in {
					m.farm.lab.Set(o, one, f)
				}
			}
		}
	}
	return fault{name, set(f), set(hosts.Fault{})}
}

// ofAgent is what befalls an agent.
func (m *misfortune) ofAgent(agent *process, node *member) fault {
	again := func() { m.must(agent.start()) }
	var all []*hosts.Host
	for _, n := range m.farm.members {
		all = append(all, n.host)
	}
	cut := hosts.Fault{Cut: true}
	return pick(m.chance,
		fault{"kill: " + agent.name, agent.kill, again},
		fault{"freeze: " + agent.name, agent.freeze, agent.thaw},
		fault{"restart: " + agent.name, func() { m.obey(agent) }, again},
		m.between("isolate: "+agent.name, agent.host, all, cut, true, true),
		m.between("part: "+agent.name+" and "+node.name, agent.host, []*hosts.Host{node.host}, cut, true, true),
		m.between("mute: "+agent.name, agent.host, all, cut, true, false),
		m.between("lossy: "+agent.name, agent.host, all, hosts.Fault{Loss: 0.2}, true, true),
	)
}

// ofAll is what befalls several coordinators at once.
func (m *misfortune) ofAll() fault {
	some := slices.Clone(m.farm.members)
	m.chance.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	if m.chance.IntN(2) == 0 {
		some = some[:len(some)-1]
	}
	each := func(do func(*member)) func() {
		return func() {
			for _, n := range some {
				do(n)
			}
		}
	}
	return pick(m.chance,
		fault{fmt.Sprintf("kill: %d coordinators at once", len(some)), each(func(n *member) { n.kill() }), each(func(n *member) { m.must(n.start()) })},
		fault{fmt.Sprintf("freeze: %d coordinators at once", len(some)), each(func(n *member) { n.freeze() }), each(func(n *member) { n.thaw() })},
	)
}

// clocksJumped tells whether times that the farm tells are of no use.
func (m *misfortune) clocksJumped() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counted["clock"] > 0
}

// heal ends whatever may still befall the farm.
func (m *misfortune) heal() error {
	m.farm.lab.Heal()
	if m.farm.store != nil {
		m.farm.store.Set(faults.StorageWell, nil)
	}
	for _, n := range m.farm.members {
		_ = os.Remove(n.faults)
		n.thaw()
		if err := n.start(); err != nil {
			return err
		}
	}
	for _, a := range m.farm.agents {
		a.thaw()
		if err := a.start(); err != nil {
			return err
		}
	}
	return nil
}
