package coordinator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"overcrank/coordinator/membership"
	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// lookEvery is how often the coordinators of a farm ask each other how they are; seekEvery is the same for one that is no
	// member yet.
	lookEvery = time.Second
	seekEvery = 250 * time.Millisecond
	// lookWithin bounds one such question.
	lookWithin = 2 * time.Second
	// mostLag is how many changes behind a coordinator may be that is said to keep up.
	mostLag = 500
	// mostKnown bounds the addresses that are kept of coordinators that are no members.
	mostKnown = 100
	// leaderlessAfter is how long a member is without a leader before it asks the others whether it still is one.
	leaderlessAfter = 3 * time.Second
)

// cluster is this node's part in the farm's membership: what it has seen of the other coordinators, and how it became one of
// them. One loop does everything, so no two changes of it meet.
type cluster struct {
	c     *Coordinator
	began time.Time

	mu      sync.Mutex
	seen    map[string]*sighting // of other coordinators, by id
	silent  map[string]string    // what became of the last call, by address, for those that do not answer
	known   []string             // addresses to call besides those of the members
	waiting string               // what this node waits for before it is a member, "" for one that is
	left    string               // why this node is a member no more
	gone    chan struct{}        // closed then

	// Of the loop alone.
	yielded  time.Time // when it handed the lead over because of its state
	said     string    // the last of waiting that was logged
	warned   string    // the last of the warnings that was logged
	leaderAt time.Time
	member   bool // has been one since it started
	// storageSeen says that the farm's storage works for a node that is about to join.
	storageSeen bool
}

// sighting is what this node has seen of another.
type sighting struct {
	report   nodeReport
	heard    time.Time     // when it answered last; when the watch of it began, for one that never did
	keepsUp  time.Time     // since when it has kept up; zero while it does not
	answered bool          // ever
	skew     time.Duration // how far its clock was ahead of this node's then
	compared comparison
}

func newCluster(c *Coordinator) *cluster {
	now := time.Now()
	return &cluster{
		c: c, began: now, leaderAt: now, seen: map[string]*sighting{}, silent: map[string]string{}, known: slices.Clone(c.cfg.Join),
		gone: make(chan struct{}),
	}
}

// run looks after this node's membership until ctx ends.
func (m *cluster) run(ctx context.Context) {
	for {
		every := lookEvery
		if !m.c.peers.Alone() {
			m.look(ctx)
		}
		if m.c.store.Blank() {
			every = seekEvery
			m.seek(ctx)
		} else {
			m.settle(ctx)
		}
		if m.hasLeft() || interval.Wait(ctx, every) != nil {
			return
		}
	}
}

// settle does what a member has to do now and then.
func (m *cluster) settle(ctx context.Context) {
	m.nowMember()
	m.learnPublicAddress()
	leader, _ := m.c.store.Leader()
	if leader == "" {
		if time.Since(m.leaderAt) > leaderlessAfter && !m.c.peers.Alone() {
			m.askIfMember(ctx)
		}
		return
	}
	m.leaderAt = time.Now()
	if leader == m.c.store.ID() {
		m.keep(ctx)
	} else {
		m.announceAddress(ctx)
	}
	m.announce(ctx)
}

// self is this node's record, as the others are to have it.
func (m *cluster) self() farm.Coordinator {
	return farm.Coordinator{
		ID: m.c.store.ID(), Name: hostName(), Cluster: m.c.peers.Address(), Public: m.c.cfg.NodeAddress, Farm: m.c.cfg.PublicAddress, Version: m.c.cfg.Version,
		Level: Level(), Gossip: m.c.gossipAddress(), At: m.c.cfg.Now(),
	}
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "coordinator"
	}
	return name
}

// announce brings this node's record in the state up to date.
func (m *cluster) announce(ctx context.Context) {
	self := m.self()
	var kept farm.Coordinator
	err := m.c.store.View(func(tx *raftstore.Tx) (err error) {
		kept, err = tx.Coordinator(self.ID)
		return err
	})
	kept.At = self.At
	if err == nil && kept == self {
		return
	}
	m.record(ctx, command.PutCoordinator{Coordinator: self})
}

// record writes something about the coordinators into the state. What fails, as when the leader is lost meanwhile, is done with
// another round: no round waits for a leader.
func (m *cluster) record(ctx context.Context, cmd command.Command) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	res, err := m.c.store.Apply(ctx, cmd)
	if err == nil && res.Refused != nil {
		err = res.Refused
	}
	if err != nil {
		m.c.log.Debug("noting who the coordinators are", "error", err)
	}
}

// wait notes what this node waits for before it is a member.
func (m *cluster) wait(format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	m.mu.Lock()
	m.waiting = words
	m.mu.Unlock()
	if words != m.said {
		m.said = words
		m.c.log.Info("this coordinator is not part of a farm yet", "waits", words)
	}
}

// nowMember notes that this node is one.
func (m *cluster) nowMember() {
	m.mu.Lock()
	was := m.waiting
	m.waiting = ""
	m.mu.Unlock()
	if was == "" && m.member {
		return
	}
	m.member = true
	if err := os.Remove(m.c.path(waitingFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		m.c.log.Warn("a file that is no longer needed stays", "error", err)
	}
	if was == "" {
		return
	}
	m.c.log.Info("this coordinator is part of the farm now", "farm", m.c.keys.cluster(), "id", m.c.store.ID())
}

// ready is nil for a member; for others it says what they wait for.
func (m *cluster) ready() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.left != "":
		return farm.Errorf(farm.CodeUnavailable, "this coordinator is part of the farm no more: %s", m.left)
	case m.waiting != "":
		return farm.Errorf(farm.CodeUnavailable, "this coordinator is not part of a farm yet: %s", m.waiting)
	}
	return nil
}

// check says whether this node is one of the farm's coordinators, and how many of these answer.
func (m *cluster) check() farm.Check {
	const name = "cluster"
	if err := m.ready(); err != nil {
		return farm.Failed(name, err)
	}
	list, _, err := m.c.store.Members()
	if err != nil {
		return farm.Failed(name, err)
	}
	if m.compared().self {
		return farm.Failed(name, farm.Errorf(farm.CodeUnavailable, "this coordinator holds another state than the others: %s", membership.AstrayWayOut))
	}
	seen := m.members(list)
	stand := membership.Stand(seen)
	if len(list) < 2 {
		return farm.Passed(name, "the farm has one coordinator")
	}
	found := farm.Passed(name, fmt.Sprintf("%d of %d coordinators with a vote answer", stand.Alive, stand.Voters))
	if warnings := m.warnings(seen); len(warnings) > 0 {
		found.Found, found.Warn = strings.Join(warnings, "; "), true
	}
	return found
}

// know adds addresses to call.
func (m *cluster) know(addresses ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, address := range addresses {
		if address != "" && len(m.known) < mostKnown && !slices.Contains(m.known, address) {
			m.known = append(m.known, address)
		}
	}
}

// sightings are what this node has seen of the others, by id.
func (m *cluster) sightings() map[string]sighting {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make(map[string]sighting, len(m.seen))
	for id, s := range m.seen {
		all[id] = *s
	}
	return all
}

// callable are the addresses of all coordinators that this node knows of: of members, and, while it is none or has no leader, of
// whoever else may be there.
func (m *cluster) callable() []string {
	set := map[string]bool{}
	members, _, err := m.c.store.Members()
	if err == nil {
		for _, member := range members {
			if member.ID != m.c.store.ID() {
				set[member.Address] = true
			}
		}
	}
	if leader, _ := m.c.store.Leader(); leader == "" {
		_ = m.c.store.View(func(tx *raftstore.Tx) error {
			records, err := tx.Coordinators()
			for _, r := range records {
				set[r.Cluster] = true
			}
			return err
		})
		if m.c.pool != nil {
			for _, n := range m.c.pool.Members() {
				set[n.Cluster] = true
			}
		}
		m.mu.Lock()
		for _, address := range m.known {
			set[address] = true
		}
		m.mu.Unlock()
	}
	delete(set, "")
	delete(set, m.c.peers.Address())
	return slices.Sorted(maps.Keys(set))
}

// look asks the others how they are.
func (m *cluster) look(ctx context.Context) {
	var calls sync.WaitGroup
	for _, address := range m.callable() {
		calls.Go(func() {
			report, err := m.report(ctx, address, 0)
			if err != nil {
				m.mu.Lock()
				m.silent[address] = shortReason(err)
				m.mu.Unlock()
				return
			}
			m.note(address, report)
		})
	}
	calls.Wait()
}

// note takes up what another node said of itself.
func (m *cluster) note(address string, r nodeReport) {
	now, committed := time.Now(), m.c.store.Progress().Committed
	m.mu.Lock()
	delete(m.silent, address)
	m.mu.Unlock()
	if r.ID == m.c.store.ID() {
		return
	}
	m.know(r.Knows...)
	m.mu.Lock()
	var before comparison
	if s := m.seen[r.ID]; s != nil {
		before = s.compared
	}
	m.mu.Unlock()
	compared := m.compareWith(r, before)
	if outlived(m.c.eras, r.Eras) {
		m.leave(fmt.Sprintf("the farm was recovered or restored without it, as %s at %s knows", r.Name, r.Cluster))
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.seen[r.ID]
	if s == nil {
		s = &sighting{}
		m.seen[r.ID] = s
	}
	s.report, s.heard, s.answered, s.skew, s.compared = r, now, true, r.At.Sub(m.c.cfg.Now()), compared
	switch {
	case r.Blank || committed > r.Applied+mostLag:
		s.keepsUp = time.Time{}
	case s.keepsUp.IsZero():
		s.keepsUp = now
	}
}

// shortReason is what an administrator needs of why another node does not answer.
func shortReason(err error) string {
	words := err.Error()
	for _, end := range []string{"is no coordinator of this farm", "connection refused", "no route to host", "i/o timeout", "deadline exceeded"} {
		if strings.Contains(words, end) {
			switch end {
			case "is no coordinator of this farm":
				return "has another farm's key"
			case "i/o timeout", "deadline exceeded":
				return "does not answer"
			}
			return end
		}
	}
	return words
}

func (c *Coordinator) path(name string) string { return filepath.Join(c.cfg.DataDir, name) }

// AwaitFarm waits until this node is a coordinator of its farm and shows what that has acknowledged. It fails when ctx ends, or
// when this node has left its farm.
func (c *Coordinator) AwaitFarm(ctx context.Context) error {
	for {
		if c.cluster.ready() == nil && !c.store.Blank() && c.store.Fresh(ctx) == nil {
			return nil
		}
		if c.cluster.hasLeft() {
			return c.cluster.ready()
		}
		if interval.Wait(ctx, seekEvery) != nil {
			return fmt.Errorf("waiting for the farm: %w", context.Cause(ctx))
		}
	}
}

// Blank tells whether this node has never been part of a farm.
func (c *Coordinator) Blank() bool { return c.store.Blank() }

// Leads tells whether this node leads the farm.
func (c *Coordinator) Leads() bool {
	id, _ := c.store.Leader()
	return id == c.store.ID()
}

// Level is the highest level of commands that this program understands.
func Level() int { return command.NewestLevel }

// level is that of the farm's state: all of its coordinators have to understand its commands.
func (c *Coordinator) level() (level int) {
	_ = c.store.View(func(tx *raftstore.Tx) error {
		level, _, _ = tx.Level()
		return nil
	})
	return level
}
