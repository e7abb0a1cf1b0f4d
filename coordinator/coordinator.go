// Package coordinator is one node of the farm's head. It opens and wires the rooms below it, in which the farm decides (rooms.go), and leads
// to them. What is in none of them is here: jobs as callers see and change them, the farm's policy, putting the farm back to a backup,
// checks, metrics and housekeeping.
package coordinator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"overcrank/coordinator/audit"
	"overcrank/coordinator/authority"
	"overcrank/coordinator/cluster"
	"overcrank/coordinator/delivery"
	"overcrank/coordinator/dispatch"
	"overcrank/coordinator/downloads"
	"overcrank/coordinator/enrolment"
	"overcrank/coordinator/events"
	"overcrank/coordinator/farmkeys"
	"overcrank/coordinator/fetch"
	"overcrank/coordinator/files"
	"overcrank/coordinator/internode"
	"overcrank/coordinator/joblog"
	"overcrank/coordinator/library"
	"overcrank/coordinator/machines"
	"overcrank/coordinator/notices"
	"overcrank/coordinator/peers"
	"overcrank/coordinator/people"
	"overcrank/coordinator/preview"
	"overcrank/coordinator/private"
	"overcrank/coordinator/reader"
	"overcrank/coordinator/results"
	"overcrank/coordinator/retention"
	"overcrank/coordinator/reviews"
	"overcrank/coordinator/seal"
	"overcrank/coordinator/search"
	"overcrank/coordinator/singlesignon"
	"overcrank/coordinator/state"
	"overcrank/coordinator/storage"
	"overcrank/coordinator/submission"
	"overcrank/coordinator/templates"
	"overcrank/coordinator/updates"
	"overcrank/coordinator/uploads"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/wire"
	"overcrank/inbound"
	"overcrank/outbound"
	"overcrank/raftstore"
)

// Config says how a coordinator runs.
type Config struct {
	DataDir string // folder of all its files, made when missing
	// Storage is where the farm's files are kept: "" in the data folder, the path of a folder that all coordinators have mounted, or an
	// address as files.ParseAddress reads it. What is in the data folder then is moved there while the farm works.
	Storage            string
	StorageCredentials string // file with the credentials of a bucket; "" for those of the environment
	PublicAddress      string // base address of the whole farm, the same on all coordinators, without a trailing slash; may be empty
	NodeAddress        string // base address at which this coordinator is reached, such as http://rack1:8080; PublicAddress when empty
	GossipBind         string // host:port, "127.0.0.1:0" inside `up`; "" takes part in no gossip
	// GossipElsewhere says that GossipBind is a default: where it cannot be had, another port is taken, or this machine alone is
	// gossiped with.
	GossipElsewhere bool
	// ClusterListen is the host:port on which the coordinators speak with each other, ClusterAddress the one at which others
	// reach this one, the same when "". A farm without it is of one node.
	ClusterListen, ClusterAddress string
	// Join are addresses, host:port, at which other coordinators may be found: of a farm that this one is to become part of, or
	// of those that are to begin one with it.
	Join []string
	// GossipSeeds are addresses, host:port, of gossip in which other coordinators may be found instead, until this one is a member.
	GossipSeeds []string
	// BootstrapExpect is how many coordinators with the same farm.key begin a new farm together; below 2 this one begins it alone,
	// unless there is a farm to join. It counts only while the data folder holds no state.
	BootstrapExpect int
	// PromoteAfter is how long a new coordinator has to keep up before it gets a vote; 0 means 10 s. RemoveDeadAfter is how long
	// one may be dead before it loses its place; 0 means that it never does.
	PromoteAfter, RemoveDeadAfter time.Duration
	Version                       string // of this program, told by gossip
	Logger                        *slog.Logger
	Now                           func() time.Time // nil means time.Now
	MinFree                       int64            // bytes kept free on the disk; 0 means 1 GiB
	Lease                         time.Duration    // how long a silent agent keeps its leases; 0 means 30 s
	FileLife                      time.Duration    // of stored files after their last use; 0 means 7 days
	// CACertificate and CAKey are files (PEM) with an authority that the studio issued, in the place of one that the farm founds; "" for
	// that.
	CACertificate, CAKey string
	// Checks looks at what works beside the coordinator, for whoever asks whether it is well; may be nil.
	Checks func() []farm.Check
	// CertificateLife is how long certificates of agents are good; 0 means 90 days. They are renewed when a third is left.
	CertificateLife time.Duration
	Addresses       address.Policy  // which machines downloads, uploads and webhooks may ask
	Mail            *notices.Mailer // sends e-mails to people; nil for a farm that sends none
	Teller          notices.Teller  // says messages in the language of whom they are for; nil for English
	// SingleSignOn says with whose accounts people sign in besides; nil for none.
	SingleSignOn *singlesignon.Settings
	// ReleaseRoots is a file with the root keys that releases of the agent's program are checked with; "" for those that this program was
	// built with.
	ReleaseRoots string
	// PackageDir is a folder with packages of the agent, which the farm hands out when this coordinator leads; "" for none. It need not be there.
	PackageDir string
	// RedactAfter is when, after a job's end, addresses, paths and values are taken out of it and its log; 0 means 3 days.
	RedactAfter time.Duration
	KeepOutputs time.Duration // how long results are kept after their job's end; 0 means for ever
	KeepHistory time.Duration // how long jobs are kept after their end, with all that belongs to them; 0 means for ever
	KeepAudit   time.Duration // how long the audit log keeps what happened; 0 means as long as there is room for it
	// DescribeJob writes the body of a webhook: the job, whose result is at address, as the public interface shows it, with
	// the caller's data under "data" when there is some. It is required.
	DescribeJob func(job farm.Job, address string, data json.RawMessage) ([]byte, error)
	// Gates count what callers have under way at this node, for its metrics, by what they count there; may be nil.
	Gates map[string]*inbound.Gate
	// Strangers bounds the connections to the coordinators' port whose other side has not shown yet who it is, GossipStreams those of
	// gossip; nil for no bound and for gossip's own.
	Strangers, GossipStreams *inbound.Gate
	// Reader is the program, and its first words, that reads a template's file in a process of its own; see reader.Main. Without one they are
	// read in this process, which only tests should do. Reading bounds one file; 0 means 1 GiB and 10 minutes.
	Reader  []string
	Reading reader.Bounds
	// Specimens is the program, and its first words, that draws fonts in a process of its own; see specimen.Main. Without one they are drawn in
	// this process, which is for tests only.
	Specimens []string
	// Previewer is the program, and its first words, that draws previews in processes of its own; see preview.Main. Without one none are drawn.
	Previewer []string
	// Protocol is the version of the agents' protocol that the farm speaks; 0 means wire.Version, which only tests change.
	Protocol int
	// Silence is how long coordinators bear that their leader says nothing; 0 for the usual time. Tests bear more.
	Silence time.Duration
	// BeforeSync is called before each change of the farm's log is brought to the disk; nil outside of tests.
	BeforeSync func() error
	// WrongRule is given each row that a rule of the state writes and gives another value for it; nil outside of tests.
	WrongRule func(bucket, key string, value []byte) []byte
}

// Coordinator is one node of the farm's head. Its methods may be called at the same time.
type Coordinator struct {
	*people.Directory     // who may do what
	*submission.Submitter // how jobs come
	*enrolment.Registry   // how machines come
	*dispatch.Dispatcher  // how machines get their work
	*machines.Roster      // which there are

	cfg       Config
	log       *slog.Logger
	keys      farmkeys.Keys
	authority *authority.Authority
	clock     *clock
	store     *raftstore.Store
	cluster   *cluster.Cluster
	gossip    *cluster.Gossip
	eras      []string // that the farm has gone through, see cluster.Eras
	wanted    cluster.Wanted
	awaits    bool // is to become part of a farm, or to begin one with others
	feed      *state.Feed
	state     *state.State
	requests  *state.Requests
	metrics   *metrics
	files     files.Store
	proofs    *files.Proofs // of files
	logs      *joblog.Logs
	fetcher   *fetch.Fetcher
	caller    *delivery.Caller
	hub       *events.Hub
	port      *internode.Port // for the other coordinators; nil for a farm of one node
	peers     *peers.Peers    // the other coordinators
	installed machines.Installed
	pace      *pace
	ring      *seal.Ring // keys that seal secrets

	storage   *storage.Storage
	fonts     *library.Fonts
	releases  *updates.Releases
	downloads *downloads.Downloads
	stored    *library.StoredFiles
	uploads   *uploads.Uploads
	secrets   *library.Secrets
	templates *templates.Catalog
	results   *results.Results
	private   *private.Jobs
	retention *retention.Retention
	webhooks  *delivery.Webhooks
	notices   *notices.Notices
	reviews   *reviews.Reviews
	audit     *audit.Log
	unindexed *search.Changes
	search    *search.Search
	previews  *preview.Room
	passkeys  *people.Passkeys
	signOn    *singlesignon.Provider // nil for none

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup // loops and sessions

	mu     sync.Mutex
	closed bool
}

// Open starts a coordinator on its data folder.
func Open(ctx context.Context, cfg Config) (*Coordinator, error) {
	if cfg.DescribeJob == nil {
		return nil, errors.New("a coordinator needs to be told how webhooks describe a job")
	}
	cfg = cfg.withDefaults()
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	c := &Coordinator{
		cfg:     cfg,
		log:     cfg.Logger,
		clock:   newClock(cfg.Now, cfg.Logger),
		hub:     events.New(),
		feed:    state.NewFeed(),
		metrics: newMetrics(),
		pace:    newPace(cfg.Now()),

		unindexed: search.NewChanges(),
	}
	guard := outbound.Fixed(cfg.Addresses)
	c.fetcher, c.caller = fetch.New(guard), delivery.NewCaller(guard)
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if err := c.open(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Coordinator) open(ctx context.Context) (err error) {
	if err := cmp.Or(cluster.CheckLeft(c.cfg.DataDir), checkFolder(c.cfg.DataDir), c.loadWanted(), clearHeld(c.cfg.DataDir, heldFolders)); err != nil {
		return err
	}
	if err := setEarlierAside(c.cfg.DataDir, c.cfg.MinFree, c.log); err != nil {
		return err
	}
	if c.cfg.CACertificate != "" {
		if err := authority.Install(c.cfg.DataDir, c.cfg.CACertificate, c.cfg.CAKey, c.cfg.Now()); err != nil {
			return err
		}
	}
	if c.keys, err = farmkeys.Load(c.cfg.DataDir); err != nil {
		return err
	}
	if c.awaits && c.wanted.Expect > 1 {
		if err := cluster.DeriveKeys(c.cfg.DataDir, c.keys); err != nil {
			return err
		}
	}
	if c.ring, err = seal.Load(c.path(farmkeys.SecretsFile)); err != nil {
		return err
	}
	if err := c.openFiles(ctx); err != nil {
		return err
	}
	if c.authority, err = authority.Load(c.cfg.DataDir, c.keys.Farm(), c.cfg.Now()); err != nil {
		return err
	}
	if err := c.openState(ctx); err != nil {
		return err
	}
	if err := c.secrets.CheckKeys(); err != nil {
		return err
	}
	if err := c.keepAuthority(); err != nil {
		return err
	}
	if err := c.gossip.Join(); err != nil {
		return err
	}
	if err := c.storage.Keep(); err != nil {
		return err
	}
	c.metrics.registry.MustRegister(gauges{c})
	c.peers.Serve(c.store)
	c.run(c.hub.Run)
	c.run(c.cluster.Run)
	c.run(c.followState)
	c.run(c.Lead)
	c.run(c.clock.watch)
	c.run(c.templates.Run)
	c.run(c.retention.Run)
	c.run(c.housekeep)
	c.run(c.takePackages)
	c.run(c.logs.Run)
	c.run(c.storage.Run)
	c.run(c.KeepUses)
	c.run(c.audit.Run)
	c.run(c.cluster.KeepLevel)
	c.run(c.FollowLeader)
	c.run(c.KeepDays)
	c.run(c.gossip.Run)
	c.run(c.search.Run)
	c.run(c.previews.Run)
	return nil
}

// openFiles opens the farm's files and the logs of jobs.
func (c *Coordinator) openFiles(ctx context.Context) (err error) {
	c.storage, err = storage.Open(ctx, storage.Config{
		DataDir: c.cfg.DataDir, Where: c.cfg.Storage, Credentials: c.cfg.StorageCredentials, MinFree: c.cfg.MinFree,
		Farm: c.keys.Farm(), Address: c.cfg.NodeAddress, Logger: c.log,
	})
	if err != nil {
		return err
	}
	c.files, c.proofs = c.storage.Files(), c.storage.Proofs()
	c.logs = joblog.Open(c.storage.Logs(joblog.Config{Order: c.logOrder, Wanted: c.wantsLog, Logger: c.log}))
	return nil
}

// openState opens this node's state, and before it the port by which it reaches the others'.
func (c *Coordinator) openState(ctx context.Context) (err error) {
	dir := filepath.Join(c.cfg.DataDir, stateFolder)
	cfg := raftstore.Config{
		Dir: dir, MinFree: c.cfg.MinFree, Logger: c.log, Applied: c.feed.Push, Replaced: func() { c.installed.Forget(); c.hub.Lose(); c.unindexed.Lose() },
		Rebuilt: c.stateRebuilt,
		Silence: c.cfg.Silence, BeforeSync: c.cfg.BeforeSync, WrongRule: c.cfg.WrongRule, Await: c.awaits,
	}
	if c.cfg.ClusterListen != "" {
		if cfg.NodeID, err = raftstore.NodeID(dir); err != nil {
			return err
		}
		if c.eras, err = cluster.Eras(c.cfg.DataDir); err != nil {
			return err
		}
		era := ""
		if len(c.eras) > 0 {
			era = c.eras[len(c.eras)-1]
		}
		c.port, err = internode.Open(internode.Config{
			Strangers: c.cfg.Strangers, Bind: c.cfg.ClusterListen, Address: c.cfg.ClusterAddress, Era: era, Now: c.cfg.Now, Logger: c.log,
			Certificate: c.authority.Node(cfg.NodeID, c.cfg.Now).Certificate, Authorities: c.authority.Pool,
		})
		if err != nil {
			return err
		}
		cfg.Layer = c.port.Raft()
	}
	c.peers = peers.New(c.ctx, c.port, func(address string) { c.cluster.Know(address) }, c.log)
	if !c.peers.Alone() {
		cfg.Forward, cfg.ReadIndex = c.peers.Forward, c.peers.ReadIndex
	}
	if c.store, err = raftstore.Open(ctx, cfg); err != nil {
		return fmt.Errorf("opening the farm's state: %w", err)
	}
	c.state = state.New(c.store, c.feed, c.cfg.Now)
	if err := c.makeRooms(); err != nil {
		return err
	}
	if members, _, err := c.store.Members(); err != nil {
		return err
	} else if len(members) > 1 { // the others could not reach a folder of this machine
		if err := c.storage.ServesAll(); err != nil {
			return fmt.Errorf("this farm has %d coordinators: %w", len(members), err)
		}
	}
	c.answerPeers()
	return nil
}

// loadWanted takes up what this node waits for before it is part of a farm.
func (c *Coordinator) loadWanted() error {
	state, err := hasState(c.path(stateFolder))
	if err != nil {
		return err
	}
	c.wanted = cluster.Wanted{Join: c.cfg.Join, Expect: c.cfg.BootstrapExpect}
	c.awaits, err = c.wanted.Await(c.cfg.DataDir, c.cfg.ClusterListen != "", len(c.cfg.GossipSeeds) > 0, state)
	return err
}

// Close stops deciding, ends agent sessions and closes the state, in that order.
func (c *Coordinator) Close() error {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	c.mu.Unlock()
	if again {
		return nil
	}
	c.cancel()
	c.work.Wait()
	c.hub.Close()
	c.fetcher.Close()
	c.caller.Close()
	if c.signOn != nil {
		c.signOn.Close()
	}
	var err error
	if c.gossip != nil {
		err = errors.Join(err, c.gossip.Close())
	}
	if c.store != nil {
		err = errors.Join(err, c.store.Close())
	}
	if c.port != nil {
		err = errors.Join(err, c.port.Close())
	}
	if c.logs != nil {
		err = errors.Join(err, c.logs.Close())
	}
	if c.storage != nil {
		err = errors.Join(err, c.storage.Close())
	}
	return err
}

// run starts a loop that Close waits for.
func (c *Coordinator) run(loop func(context.Context)) {
	c.work.Go(func() { loop(c.ctx) })
}

// begin counts a visitor whom Close waits for; done is nil once Close has begun.
func (c *Coordinator) begin() (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.work.Add(1)
	return c.work.Done
}

// Now is the farm's time, by which addresses and links end.
func (c *Coordinator) Now() time.Time { return c.cfg.Now() }

// SigningKey derives a key of 32 bytes for a purpose (sessions, addresses) from the farm's key file.
func (c *Coordinator) SigningKey(purpose string) []byte { return c.keys.Derive("sign "+purpose, 32) }

func (cfg Config) withDefaults() Config {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.NodeAddress = cmp.Or(cfg.NodeAddress, cfg.PublicAddress)
	cfg.MinFree = cmp.Or(cfg.MinFree, 1<<30)
	cfg.PromoteAfter = cmp.Or(cfg.PromoteAfter, 10*time.Second)
	cfg.Lease = cmp.Or(cfg.Lease, 30*time.Second)
	cfg.Protocol = cmp.Or(cfg.Protocol, wire.Version)
	cfg.CertificateLife = cmp.Or(cfg.CertificateLife, 90*24*time.Hour)
	cfg.FileLife = cmp.Or(cfg.FileLife, 7*24*time.Hour)
	cfg.Reading.Memory = cmp.Or(cfg.Reading.Memory, 1<<30)
	cfg.Reading.Within = cmp.Or(cfg.Reading.Within, 10*time.Minute)
	cfg.RedactAfter = cmp.Or(cfg.RedactAfter, 3*24*time.Hour)
	return cfg
}
