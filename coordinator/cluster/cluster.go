// Package cluster manages the farm's coordinators: inviting, letting in, giving votes, leaving and removal; whether all hold the same
// state and understand the same commands; and their common keys and addresses. Package membership decides who gets a vote and who loses
// its place.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"overcrank/coordinator/authority"
	"overcrank/coordinator/membership"
	"overcrank/coordinator/peers"
	"overcrank/coordinator/seal"
	"overcrank/coordinator/state"
	"overcrank/coordinator/storage"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/interval"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// lookEvery is how often a member asks the other coordinators for reports; seekEvery is the same for a node that is no member yet.
	lookEvery = time.Second
	seekEvery = 250 * time.Millisecond
	// lookTimeout bounds one such request.
	lookTimeout = 2 * time.Second
	// maxLag is how many changes behind a coordinator may be that keeps up.
	maxLag = 500
	// maxKnown is how many addresses of coordinators outside the farm are kept.
	maxKnown = 100
	// leaderlessAfter is how long a member is without a leader before it asks the others whether it still is a member.
	leaderlessAfter = 3 * time.Second
)

// Farm is what the cluster needs of the rest of this coordinator.
type Farm interface {
	// Ready is nil when this coordinator can take work.
	Ready() error
	// Works reports whether this coordinator leads and has taken up the leader's work.
	Works() bool
	// LevelRaised is called when this coordinator has raised the farm's level.
	LevelRaised(ctx context.Context)
	// TellAgents sends new gossip settings to all agents connected to this coordinator.
	TellAgents(gossip wire.Gossip)
	// MachineSeen is called when gossip notices that a machine came or went.
	MachineSeen(id string)
}

// Config configures a Cluster.
type Config struct {
	Dir     string // the data folder
	Farm    string // name of the farm in its certificates
	Eras    []string
	Wanted  Wanted
	Version string // of this program
	// NodeAddress is this coordinator's base address, PublicAddress that of the whole farm by this node's settings.
	NodeAddress, PublicAddress string
	// PromoteAfter is how long a new coordinator must keep up before it gets a vote, RemoveDeadAfter how long one may be dead before it
	// loses its place; 0 for any time.
	PromoteAfter, RemoveDeadAfter time.Duration
	Invitations                   Invitations
	Logger                        *slog.Logger
}

// Parts are the rooms that the cluster depends on.
type Parts struct {
	Farm      Farm
	Raft      *raftstore.Store
	State     *state.State
	Peers     *peers.Peers
	Ring      *seal.Ring // keys that seal secrets
	Authority *authority.Authority
	Gossip    *Gossip
	Storage   *storage.Storage // of the farm's files
}

// Cluster is the farm's coordinators as this one sees them, and its own membership. Only its loop, Run, changes the membership, so
// changes never collide. Its methods may be called concurrently.
type Cluster struct {
	cfg       Config
	log       *slog.Logger
	farm      Farm
	raft      *raftstore.Store
	state     *state.State
	peers     *peers.Peers
	ring      *seal.Ring
	authority *authority.Authority
	gossip    *Gossip
	storage   *storage.Storage
	began     time.Time
	public    atomic.Pointer[string] // the farm's base address, once its coordinators are known

	mu      sync.Mutex
	seen    map[string]*sighting // other coordinators, by id
	silent  map[string]string    // why the last request failed, by address
	known   []string             // addresses to ask besides the members'
	waiting string               // what this node waits for before it is a member, "" for one that is
	left    string               // why this node is no longer a member
	gone    chan struct{}        // closed when left is set

	loop loop
}

// loop is the state of Run alone.
type loop struct {
	yielded       time.Time // when it last handed the lead over because of its state
	said          string    // last logged value of waiting
	warned        string    // last logged warnings
	leaderAt      time.Time // when there was a leader last
	member        bool      // has been a member since the start
	storageWorked bool      // the storage worked, for a node about to join
}

// sighting is what this node knows of another.
type sighting struct {
	report   nodeReport
	heard    time.Time     // when it answered last, or when this node began to expect it
	keepsUp  time.Time     // since when it keeps up; zero while it does not
	answered bool          // ever
	skew     time.Duration // how far its clock was ahead of this node's at heard
	compared comparison
}

// New returns the cluster of a coordinator whose state is open, and answers requests of others from then on. Run has to be called.
func New(cfg Config, parts Parts) *Cluster {
	now := time.Now()
	c := &Cluster{
		cfg: cfg, log: cfg.Logger, farm: parts.Farm, raft: parts.Raft, state: parts.State, peers: parts.Peers, ring: parts.Ring,
		authority: parts.Authority, gossip: parts.Gossip, storage: parts.Storage, began: now, seen: map[string]*sighting{}, silent: map[string]string{},
		known: slices.Clone(cfg.Wanted.Join), gone: make(chan struct{}), loop: loop{leaderAt: now},
	}
	c.learnPublicAddress()
	c.answer()
	return c
}

// Run maintains this node's membership until ctx ends or it leaves the farm.
func (c *Cluster) Run(ctx context.Context) {
	for {
		every := lookEvery
		c.look(ctx)
		if c.raft.Blank() {
			every = seekEvery
			c.seek(ctx)
		} else {
			c.asMember(ctx)
		}
		if c.hasLeft() || interval.Wait(ctx, every) != nil {
			return
		}
	}
}

// asMember does one round of a member's work.
func (c *Cluster) asMember(ctx context.Context) {
	c.nowMember()
	c.learnPublicAddress()
	leader, _ := c.raft.Leader()
	if leader == "" {
		if time.Since(c.loop.leaderAt) > leaderlessAfter && !c.peers.Alone() {
			c.askIfMember(ctx)
		}
		return
	}
	c.loop.leaderAt = time.Now()
	if leader == c.raft.ID() {
		c.asLeader(ctx)
	} else {
		c.announceAddress(ctx)
	}
	c.announce(ctx)
}

// self is this node's record.
func (c *Cluster) self() farm.Coordinator {
	return farm.Coordinator{
		ID: c.raft.ID(), Name: hostName(), Cluster: c.peers.Address(), Public: c.cfg.NodeAddress, Farm: c.cfg.PublicAddress, Version: c.cfg.Version,
		Level: command.NewestLevel, Gossip: c.gossip.Address(), At: c.state.Now(),
	}
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "coordinator"
	}
	return name
}

// announce updates this node's record in the state.
func (c *Cluster) announce(ctx context.Context) {
	self := c.self()
	var kept farm.Coordinator
	err := c.state.View(func(tx *raftstore.Tx) (err error) {
		kept, err = tx.Coordinator(self.ID)
		return err
	})
	kept.At = self.At
	if err == nil && kept == self {
		return
	}
	c.record(ctx, command.PutCoordinator{Coordinator: self})
}

// record writes something about the coordinators to the state. Failures, as when the leader changes, are left to the next round: no round
// waits for a leader.
func (c *Cluster) record(ctx context.Context, cmd command.Command) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	res, err := c.raft.Apply(ctx, cmd)
	if err == nil && res.Refused != nil {
		err = res.Refused
	}
	if err != nil {
		c.log.Debug("noting who the coordinators are", "error", err)
	}
}

// wait records what this node waits for before it is a member.
func (c *Cluster) wait(format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	c.mu.Lock()
	c.waiting = words
	c.mu.Unlock()
	if words != c.loop.said {
		c.loop.said = words
		c.log.Info("this coordinator is not part of a farm yet", "waits", words)
	}
}

// nowMember records that this node is a member.
func (c *Cluster) nowMember() {
	c.mu.Lock()
	was := c.waiting
	c.waiting = ""
	c.mu.Unlock()
	if was == "" && c.loop.member {
		return
	}
	c.loop.member = true
	if err := os.Remove(filepath.Join(c.cfg.Dir, waitingFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		c.log.Warn("removing a file that is no longer needed", "error", err)
	}
	if was == "" {
		return
	}
	c.log.Info("this coordinator joined the farm", "farm", c.cfg.Farm, "id", c.raft.ID())
}

// Ready is nil for a member; for others it says what they wait for.
func (c *Cluster) Ready() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.left != "":
		return farm.Errorf(farm.CodeUnavailable, "this coordinator is no longer part of the farm: %s", c.left)
	case c.waiting != "":
		return farm.Errorf(farm.CodeUnavailable, "this coordinator is not part of a farm yet: %s", c.waiting)
	}
	return nil
}

// Check reports whether this node is a member, and how many coordinators answer.
func (c *Cluster) Check() farm.Check {
	const name = "cluster"
	if err := c.Ready(); err != nil {
		return farm.Failed(name, err)
	}
	list, _, err := c.raft.Members()
	if err != nil {
		return farm.Failed(name, err)
	}
	if c.Differs() {
		return farm.Failed(name, farm.Errorf(farm.CodeUnavailable, "the state of this coordinator differs from the others': %s", membership.AstrayWayOut))
	}
	seen := c.members(list)
	stand := membership.Stand(seen)
	if len(list) < 2 {
		return farm.Passed(name, "the farm has one coordinator")
	}
	found := farm.Passed(name, fmt.Sprintf("%d of %d coordinators with a vote answer", stand.Alive, stand.Voters))
	if warnings := c.warnings(seen); len(warnings) > 0 {
		found.Found, found.Warn = strings.Join(warnings, "; "), true
	}
	return found
}

// Know adds addresses of coordinators to ask.
func (c *Cluster) Know(addresses ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, address := range addresses {
		if address != "" && len(c.known) < maxKnown && !slices.Contains(c.known, address) {
			c.known = append(c.known, address)
		}
	}
}

// sightings returns what this node knows of the others, by id.
func (c *Cluster) sightings() map[string]sighting {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]sighting, len(c.seen))
	for id, s := range c.seen {
		all[id] = *s
	}
	return all
}

// callable returns the addresses of the coordinators to ask: the members, and, without a leader, whatever else may be one.
func (c *Cluster) callable() []string {
	set := map[string]bool{}
	members, _, err := c.raft.Members()
	if err == nil {
		for _, member := range members {
			if member.ID != c.raft.ID() {
				set[member.Address] = true
			}
		}
	}
	if leader, _ := c.raft.Leader(); leader == "" {
		_ = c.state.View(func(tx *raftstore.Tx) error {
			records, err := tx.Coordinators()
			for _, r := range records {
				set[r.Cluster] = true
			}
			return err
		})
		for _, n := range c.gossip.Members() {
			set[n.Cluster] = true
		}
		c.mu.Lock()
		for _, address := range c.known {
			set[address] = true
		}
		c.mu.Unlock()
	}
	delete(set, "")
	delete(set, c.peers.Address())
	return slices.Sorted(maps.Keys(set))
}

// look asks the others for their reports.
func (c *Cluster) look(ctx context.Context) {
	if c.peers.Alone() {
		return
	}
	var calls sync.WaitGroup
	for _, address := range c.callable() {
		calls.Go(func() {
			report, err := c.report(ctx, address, 0)
			if err != nil {
				c.mu.Lock()
				c.silent[address] = shortReason(err)
				c.mu.Unlock()
				return
			}
			c.note(address, report)
		})
	}
	calls.Wait()
}

// note records another node's report.
func (c *Cluster) note(address string, r nodeReport) {
	now, committed := time.Now(), c.raft.Progress().Committed
	c.mu.Lock()
	delete(c.silent, address)
	c.mu.Unlock()
	if r.ID == c.raft.ID() {
		return
	}
	c.Know(r.Knows...)
	c.mu.Lock()
	var before comparison
	if s := c.seen[r.ID]; s != nil {
		before = s.compared
	}
	c.mu.Unlock()
	compared := c.compareWith(r, before)
	if outlived(c.cfg.Eras, r.Eras) {
		c.leave(fmt.Sprintf("the farm was recovered or restored without it, as %s at %s knows", r.Name, r.Cluster))
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.seen[r.ID]
	if s == nil {
		s = &sighting{}
		c.seen[r.ID] = s
	}
	s.report, s.heard, s.answered, s.skew, s.compared = r, now, true, r.At.Sub(c.state.Now()), compared
	switch {
	case r.Blank || committed > r.Applied+maxLag:
		s.keepsUp = time.Time{}
	case s.keepsUp.IsZero():
		s.keepsUp = now
	}
}

// shortReason is why another node does not answer, shortened for an administrator.
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

// Await waits until this node is a member and its state has everything acknowledged so far. It fails when ctx ends or this node has left
// its farm.
func (c *Cluster) Await(ctx context.Context) error {
	for {
		if c.Ready() == nil && !c.raft.Blank() && c.raft.Fresh(ctx) == nil {
			return nil
		}
		if c.hasLeft() {
			return c.Ready()
		}
		if interval.Wait(ctx, seekEvery) != nil {
			return fmt.Errorf("waiting for the farm: %w", context.Cause(ctx))
		}
	}
}

// Blank reports whether this node was never part of a farm.
func (c *Cluster) Blank() bool { return c.raft.Blank() }

// Leads reports whether this node leads the farm.
func (c *Cluster) Leads() bool {
	id, _ := c.raft.Leader()
	return id == c.raft.ID()
}

// NodeAddress is this coordinator's base address for callers, agents and other coordinators, without a trailing slash.
func (c *Cluster) NodeAddress() string { return c.cfg.NodeAddress }
