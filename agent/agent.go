// Package agent is a workstation's side of the farm: it joins, says what the machine has, takes leases over one websocket,
// and runs them. It goes on rendering while the farm cannot be reached, and reports when it is back.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"overcrank/agent/aerender"
	"overcrank/agent/cache"
	"overcrank/agent/control"
	"overcrank/agent/farmclient"
	"overcrank/agent/fetch"
	"overcrank/agent/inventory"
	"overcrank/agent/outbox"
	"overcrank/agent/presence"
	"overcrank/agent/upload"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/wire"
	"overcrank/gossip"
	"overcrank/outbound"
)

// Config says how an agent runs.
type Config struct {
	DataDir string // its own folder: credential, cache, work, outbox
	// Coordinators are base addresses of any coordinators of the farm, which tells the agent of the others.
	Coordinators []string
	JoinToken    string // an invitation, for enrolling; may be "" once enrolled
	Name         string // "" means the host's name
	Slots        int    // tasks at once; 0 means 1
	// AfterEffects is how many tasks may use an After Effects at once; 0 means 1.
	AfterEffects int
	Limits       aerender.Limits  // of engines; zero values mean the defaults
	TaskTime     time.Duration    // that an engine may take for one task; 0 for no limit
	CacheSize    int64            // bytes; 0 means 20 GiB
	GossipBind   string           // host:port, "" means no gossip
	Engine       string           // path of the program whose command "aerender" is the embedded engine, "" means this program
	Roots        []string         // folders that file: addresses of jobs may point into
	Manners                       // at the beginning
	Changes      <-chan Manners   // other ones; may be nil
	Desk         presence.Desk    // nil means this machine's own
	Version      string           // of overcrank, "" means what the build says
	LookAgain    <-chan os.Signal // asks for a new look at what the machine has; may be nil
	Logger       *slog.Logger
}

// goodbye is how long a stopping agent waits for the farm to take its last reports.
const goodbye = 2 * time.Second

// agent is a running agent.
type agent struct {
	cfg       Config
	log       *slog.Logger
	self      *credential
	stock     *stock
	desk      presence.Desk
	watch     *presence.Watch
	manners   atomic.Pointer[Manners]
	cache     *cache.Cache
	templates *templates
	outbox    *outbox.Outbox
	addresses atomic.Pointer[address.Policy] // which machines may be asked, as the farm says
	fetcher   *fetch.Fetcher
	uploader  *upload.Uploader
	farm      *farmclient.Client // nil when nobody is told
	told      *told
	pool      *gossip.Pool    // nil without gossip
	limits    aerender.Limits // of engines; zero values mean the defaults
	ahead     aheadPace
	adobe     chan struct{} // has one for each task that uses an After Effects
	// uploadSlot is how long an upload of which the storage takes nothing more keeps its slot.
	uploadSlot time.Duration
	welcomed   chan struct{} // closed when the farm has welcomed this agent for the first time
	board      *board
	room       room
	link       *link
	fonts      adobeFonts
	caches     adobeCaches
	// scriptCommand is how an After Effects is made to run a script file.
	scriptCommand func(aerender, script string) []string
}

// Run runs the agent until ctx ends; then it stops its tasks, gives them back to the farm, and returns.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.complete(); err != nil {
		return err
	}
	release, err := lockFolder(cfg.DataDir)
	if err != nil {
		return err
	}
	a, err := open(ctx, cfg)
	if err == nil {
		err = a.run(ctx)
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		err = nil // being stopped is no failure
	}
	return errors.Join(err, release())
}

func (c *Config) complete() error {
	if c.DataDir == "" || len(c.Coordinators) == 0 {
		return errors.New("an agent needs a data folder and the address of a coordinator")
	}
	dir, err := filepath.Abs(c.DataDir)
	if err != nil {
		return fmt.Errorf("finding the data folder: %w", err)
	}
	c.DataDir = dir
	c.Slots, c.AfterEffects = max(1, c.Slots), max(1, c.AfterEffects)
	c.CacheSize = cmp.Or(c.CacheSize, 20<<30)
	if c.Name == "" {
		if c.Name, err = os.Hostname(); err != nil {
			return fmt.Errorf("finding this machine's name: %w", err)
		}
	}
	if c.Engine == "" {
		if c.Engine, err = os.Executable(); err != nil {
			return fmt.Errorf("finding this program: %w", err)
		}
	}
	if info, ok := debug.ReadBuildInfo(); c.Version == "" && ok {
		c.Version = info.Main.Version
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w; let this account make it, or name another folder with --data-dir", err)
	}
	return nil
}

// open makes the agent ready: its folders, its inventory, and its place in the farm.
func open(ctx context.Context, cfg Config) (*agent, error) {
	a := &agent{cfg: cfg, log: cfg.Logger, ahead: usualAhead, limits: cfg.Limits, adobe: make(chan struct{}, cfg.AfterEffects), uploadSlot: usualUploadSlot, welcomed: make(chan struct{})}
	a.addresses.Store(&address.Policy{})
	guard := outbound.Guard(func() address.Policy { return *a.addresses.Load() })
	a.fetcher, a.uploader = fetch.New(cfg.Roots, guard), upload.New(guard)
	a.scriptCommand = func(engine, script string) []string { return aerender.ScriptCommand(runtime.GOOS, engine, script) }
	a.caches = newAdobeCaches(runtime.GOOS, os.Getenv)
	if err := a.caches.clearLeft(a.workDir()); err != nil {
		a.log.Warn("After Effects' caches may hold something of a job that wants nothing kept", "error", err)
	}
	if err := clearWork(a.workDir()); err != nil {
		return nil, err
	}
	a.fonts = newAdobeFonts(runtime.GOOS, cfg.DataDir)
	if err := a.fonts.clear(); err != nil {
		a.log.Warn("fonts stay installed", "error", err)
	}
	var err error
	if a.outbox, err = outbox.Open(filepath.Join(cfg.DataDir, "outbox")); err != nil {
		return nil, err
	}
	if a.cache, err = cache.Open(filepath.Join(cfg.DataDir, "cache"), cfg.CacheSize); err != nil {
		return nil, err
	}
	a.templates = openTemplates(filepath.Join(cfg.DataDir, "templates.json"), a.log)
	a.stock = newStock(ctx, cfg, inventory.Here())
	if a.self, err = readCredential(cfg.DataDir); err != nil {
		return nil, err
	}
	a.farm = farmclient.New(cfg.Coordinators, a.log)
	a.recall()
	a.board = newBoard(a)
	a.link = newLink(a)
	sendings, err := a.readSendings()
	if err != nil {
		a.cache.Close()
		return nil, err
	}
	if err := a.openDesk(); err != nil {
		a.cache.Close()
		return nil, err
	}
	a.board.resume(sendings)
	return a, nil
}

// openDesk begins to look at the desk.
func (a *agent) openDesk() (err error) {
	a.manners.Store(&a.cfg.Manners)
	if a.desk = a.cfg.Desk; a.desk == nil {
		if a.desk, err = presence.NewDesk(a.cfg.Engine); err != nil {
			return fmt.Errorf("looking whether somebody works at this machine: %w", err)
		}
	}
	pause, err := pausedBefore(a.cfg.DataDir)
	if err != nil {
		a.log.Warn("a pause that the machine was asked for is forgotten", "error", err)
	}
	a.watch = presence.NewWatch(a.desk, a.rules(), pause, a.log)
	a.room.dir = a.cfg.DataDir
	a.room.look()
	return nil
}

func (a *agent) workDir() string { return filepath.Join(a.cfg.DataDir, "work") }

// clearWork removes what attempts of an earlier run left behind.
func clearWork(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clearing the work folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the work folder: %w", err)
	}
	return nil
}

// run joins the farm and works for it until ctx ends.
func (a *agent) run(ctx context.Context) error {
	defer a.fetcher.Close()
	defer a.uploader.Close()
	defer a.farm.Close()
	defer a.cache.Close()
	defer a.closeDesk()
	a.watch.Look(ctx) // before the first lease can come
	local, err := control.Serve(a.cfg.DataDir, a, a.log)
	if err != nil {
		a.log.Warn("people at this machine cannot speak with the agent", "error", err)
	} else {
		defer a.quiet(local)
	}
	defer a.board.stop() // again, without harm, where ctx has ended before the link began
	if err := a.enrol(ctx); err != nil {
		return err
	}
	defer a.joinGossip()()
	a.stock.changed = func() {
		a.watch.Rule(a.rules())
		a.link.nudge()
		a.tellGossip()
	}
	var looking sync.WaitGroup
	defer looking.Wait()
	seeing, stopLooking := context.WithCancel(ctx)
	defer stopLooking()
	looking.Go(func() { a.stock.run(seeing) })
	looking.Go(func() { a.watch.Run(seeing, a.turned) })
	looking.Go(func() { a.watchRoom(seeing) })
	looking.Go(func() { a.takeOn(seeing) })

	var renewing sync.WaitGroup
	defer renewing.Wait()
	keeping, stopKeeping := context.WithCancel(ctx)
	defer stopKeeping()
	renewing.Go(func() { a.keepCertificate(keeping) })

	// The link outlives ctx, so that the reports of the tasks that ctx stops still leave the house.
	linked, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	var linking sync.WaitGroup
	linking.Go(func() { a.link.run(linked) })
	<-ctx.Done()
	a.board.stop()
	a.link.settle(goodbye)
	hangUp()
	linking.Wait()
	return nil
}

func (a *agent) closeDesk() {
	if err := a.desk.Close(); err != nil {
		a.log.Warn("looking away from the desk", "error", err)
	}
}

// quiet ends the talk with people at the machine.
func (a *agent) quiet(local *control.Server) {
	if err := local.Close(); err != nil {
		a.log.Warn("closing the agent's socket", "error", err)
	}
}

// summary is what gossip tells of this machine.
func (a *agent) summary() wire.Node {
	has := a.stock.now()
	node := wire.Node{ID: a.self.now().AgentID, Role: wire.RoleAgent, Version: a.cfg.Version, Inventory: has.hash[:16]}
	for _, e := range has.Engines {
		switch {
		case e.Kind != farm.EngineAfterEffects:
		case e.Beta:
			node.Engines = append(node.Engines, e.Version+wire.BetaMark)
		default:
			node.Engines = append(node.Engines, e.Version)
		}
	}
	return node
}
