// Package dispatch gives the farm's tasks to its machines: the queue, leases, the sessions of agents, and how attempts end.
//
// All of it happens on the coordinator that leads, in one term of leadership. A term begins when this node has all that was committed
// before: it reads the leases and the ready tasks from the state, and is the leader from then on. What it has in memory (queue, leases
// with their progress, sessions) is thrown away when the term ends, and also when the clock was set or the state replaced by a backup's:
// the next term reads the state again, and agents come back with what they hold. DESIGN.md says why, and names the leader's locks in
// their order.
package dispatch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"overcrank/coordinator/cluster"
	"overcrank/coordinator/delivery"
	"overcrank/coordinator/enrolment"
	"overcrank/coordinator/events"
	"overcrank/coordinator/files"
	"overcrank/coordinator/handout"
	"overcrank/coordinator/joblog"
	"overcrank/coordinator/notices"
	"overcrank/coordinator/peers"
	"overcrank/coordinator/private"
	"overcrank/coordinator/results"
	"overcrank/coordinator/schedule"
	"overcrank/coordinator/state"
	"overcrank/coordinator/storage"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/raftstore/command"
)

// Raft is the farm's log, as far as leading needs more of it than the state.
type Raft interface {
	// ID is this node's, Leader that of the node that leads and its address between coordinators, "" while there is none.
	ID() string
	Leader() (id, address string)
	// Leadership tells when this node comes to lead and when it no longer does. It is closed with the state.
	Leadership() <-chan bool
	// Barrier waits until this node's state has all that was committed before; it is an error unless this node leads.
	Barrier(ctx context.Context) error
	// InThisTerm is the context of what is to be committed in the term in which this node leads now, or not at all.
	InThisTerm(ctx context.Context) (context.Context, error)
	// Apply commits a command and gives what it came to, before that has been handed on.
	Apply(ctx context.Context, cmd command.Command) (command.Result, error)
	// Fresh waits until this node's state has all that any node has acknowledged before.
	Fresh(ctx context.Context) error
}

// Counters count what a leader does.
type Counters interface {
	// Leased counts a lease that was granted at a time.
	Leased(t schedule.Task, at time.Time)
	// AttemptFailed counts an attempt that failed.
	AttemptFailed(class farm.FailureClass)
}

// Config says how tasks are dispatched.
type Config struct {
	Lease     time.Duration  // how long a silent agent keeps its leases
	Addresses address.Policy // which machines agents may ask
	Protocol  int            // version of the agents' protocol that the farm speaks
	// ClockSet receives when the clock was set.
	ClockSet <-chan struct{}
	Days     string // file in which this node keeps what machines did in the last 24 hours; "" for none
	// Begin counts work that the coordinator waits for when it closes; done is nil when it closes already.
	Begin  func() (done func())
	Logger *slog.Logger
}

// Parts are the rooms that dispatching stands on.
type Parts struct {
	State     *state.State
	Feed      *state.Feed
	Raft      Raft
	Peers     *peers.Peers
	Cluster   *cluster.Cluster
	Gossip    *cluster.Gossip
	Enrolled  *enrolment.Registry
	Events    *events.Hub
	Counters  Counters
	Files     files.Store
	Proofs    *files.Proofs
	Storage   *storage.Storage
	Results   *results.Results
	Logs      *joblog.Logs
	Templates *templates.Catalog
	Private   *private.Jobs
	Handouts  *handout.Maker
	Webhooks  *delivery.Webhooks
	Notices   *notices.Notices
}

// Dispatcher dispatches the farm's tasks while this node leads, and knows from the leader what is under way while another does. Its
// methods may be called at the same time.
type Dispatcher struct {
	cfg       Config
	log       *slog.Logger
	state     *state.State
	feed      *state.Feed
	raft      Raft
	peers     *peers.Peers
	cluster   *cluster.Cluster
	gossip    *cluster.Gossip
	enrolled  *enrolment.Registry
	events    *events.Hub
	counters  Counters
	files     files.Store
	proofs    *files.Proofs
	storage   *storage.Storage
	results   *results.Results
	logs      *joblog.Logs
	templates *templates.Catalog
	private   *private.Jobs
	handouts  *handout.Maker
	webhooks  *delivery.Webhooks
	notices   *notices.Notices

	ctx    context.Context // ends when the coordinator closes
	mirror *mirror
	anew   chan struct{}  // the state is another
	terms  sync.WaitGroup // of leadership, one at most
	clerks *crew          // who settle what agents report

	mu     sync.Mutex
	leader *leader // nil while this node does not lead
}

// New is the dispatching of a farm; it ends with ctx.
func New(ctx context.Context, cfg Config, parts Parts) *Dispatcher {
	return &Dispatcher{
		cfg: cfg, log: cfg.Logger, state: parts.State, feed: parts.Feed, raft: parts.Raft, peers: parts.Peers, cluster: parts.Cluster,
		gossip: parts.Gossip, enrolled: parts.Enrolled, events: parts.Events, counters: parts.Counters, files: parts.Files,
		proofs: parts.Proofs, storage: parts.Storage, results: parts.Results, logs: parts.Logs, templates: parts.Templates,
		private: parts.Private, handouts: parts.Handouts, webhooks: parts.Webhooks, notices: parts.Notices,
		ctx: ctx, mirror: newMirror(), anew: make(chan struct{}, 1), clerks: newCrew(cfg.Begin),
	}
}

// leading is the leader's part of this node, nil while another node leads.
func (d *Dispatcher) leading() *leader {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.leader
}

// Leads says whether this node does the leader's work.
func (d *Dispatcher) Leads() bool { return d.leading() != nil }

// QueueRead says whether this node leads and has all that is ready in its queue.
func (d *Dispatcher) QueueRead() bool {
	l := d.leading()
	return l != nil && l.hasRead()
}

// StateReplaced says that the state is another: what a leader remembers of it is read again.
func (d *Dispatcher) StateReplaced() {
	select {
	case d.anew <- struct{}{}:
	default:
	}
}

// TermOver waits until this node has done its part in a term of leadership that has ended, or until ctx ends.
func (d *Dispatcher) TermOver(ctx context.Context) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		d.terms.Wait()
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
}
