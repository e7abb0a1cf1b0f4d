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

	"overcrank/agent/adobe"
	"overcrank/agent/aerender"
	"overcrank/agent/attempt"
	"overcrank/agent/cache"
	"overcrank/agent/control"
	"overcrank/agent/farmclient"
	"overcrank/agent/farmffmpeg"
	"overcrank/agent/fetch"
	"overcrank/agent/identity"
	"overcrank/agent/inventory"
	"overcrank/agent/load"
	"overcrank/agent/outbox"
	"overcrank/agent/presence"
	"overcrank/agent/readiness"
	"overcrank/agent/runner"
	"overcrank/agent/update"
	"overcrank/agent/upload"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/wire"
	"overcrank/ffmpeg"
	"overcrank/frames/shelf"
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
	Limits       aerender.Limits // of engines; zero values mean the defaults
	TaskTime     time.Duration   // that an engine may take for one task; 0 for no limit
	CacheSize    int64           // bytes; 0 means 20 GiB
	FramesSize   int64           // bytes of disk for frames that jobs share; 0 shares none
	GossipBind   string          // host:port, "" means no gossip
	Engine       string          // path of the program whose command "aerender" is the embedded engine, "" means this program
	Roots        []string        // folders that file: addresses of jobs may point into
	Updates      Updates         // of the agent's program
	Manners                      // at the beginning
	Changes      <-chan Manners  // other ones; may be nil
	// HandOver is how long frames that are done may take to reach the farm while somebody waits for the machine; 0 means two seconds.
	HandOver time.Duration
	// FirstFrame renders a frame that a machine shows the farm once it was installed, and returns a small JPEG of it; nil for a machine that shows none.
	FirstFrame func(ctx context.Context) ([]byte, error)
	// FrameAgain is the pause after the first try to render or send it that failed; it doubles each time, up to an hour. 0 means 15 seconds.
	FrameAgain time.Duration
	Desk       presence.Desk // nil means this machine's own
	// Sessions makes After Effects run in the session of who is signed in, as a service has to, and not as a child of the agent.
	Sessions bool
	// Who is the person before the machine; nil asks the system.
	Who func(context.Context) (who presence.Person, found bool, err error)
	// Writers are the ffmpeg of this machine and those of its encoders that work; nil asks ffmpeg, as film.Writers does.
	Writers   func(ctx context.Context) (ffmpeg.Build, []string, error)
	Version   string           // of overcrank, "" means what the build says
	FFmpeg    string           // folder of ffmpeg and ffprobe; "" for those that the farm hands out, or those of the PATH
	LookAgain <-chan os.Signal // asks for a new look at what the machine has; may be nil
	// Protocol is the version of the farm's protocol that the agent speaks; 0 means wire.Version, which only tests change.
	Protocol int
	Logger   *slog.Logger
}

// goodbye is how long a stopping agent waits for the farm to take its last reports.
const goodbye = 2 * time.Second

// agent is a running agent.
type agent struct {
	cfg       Config
	log       *slog.Logger
	self      *identity.Credential
	inventory *inventoryWatch
	desk      presence.Desk
	sessions  *runner.Sessions // of people; nil where After Effects runs as a child of this process
	owing     sync.Mutex       // held while what is owed to accounts is read and written
	owedNow   chan struct{}    // a session has come or gone
	watch     *presence.Watch
	load      *load.Meter // used by the link's session
	readiness *readiness.Readiness
	manners   atomic.Pointer[Manners]
	// neverOnBattery is what somebody at the machine chose.
	neverOnBattery atomic.Bool
	farmHours      atomic.Pointer[[]farm.Hours] // that the farm has set; nil before it has said anything
	machine        *attempt.Machine             // what attempts use of all this
	slots          *slots
	outbox         *outbox.Outbox
	addresses      atomic.Pointer[address.Policy] // which machines may be asked, as the farm says
	farm           *farmclient.Client
	farmFile       *farmFile
	link           *link
	pool           *gossip.Pool // nil without gossip
	updater        *update.Updater
	ffmpeg         *farmffmpeg.Keeper
	end            context.CancelCauseFunc // ends the agent; for what ends it from within
	// restarting is why the machine takes no work before a release is started; nil while none is.
	restarting atomic.Pointer[string]
	// noFrame is why the machine cannot render its first frame; nil when it can, or need not.
	noFrame  atomic.Pointer[string]
	welcomed chan struct{} // closed when the farm has welcomed this agent for the first time
}

// Run runs the agent until ctx ends; then it stops its tasks, gives them back to the farm, and returns.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Complete(); err != nil {
		return err
	}
	release, err := lockFolder(cfg.DataDir)
	if err != nil {
		return err
	}
	running, end := context.WithCancelCause(ctx)
	defer end(nil)
	a, err := open(running, cfg)
	if err == nil {
		a.end = end
		err = a.run(running)
	}
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		err = nil // being stopped is no failure
	case ctx.Err() == nil && running.Err() != nil:
		err = context.Cause(running) // the agent ends by itself
	}
	return errors.Join(err, release())
}

// Complete checks the settings, makes the data folder, and replaces zero values with what they stand for.
func (c *Config) Complete() error {
	if c.DataDir == "" || len(c.Coordinators) == 0 {
		return errors.New("an agent needs a data folder and the address of a coordinator")
	}
	dir, err := filepath.Abs(c.DataDir)
	if err != nil {
		return fmt.Errorf("finding the data folder: %w", err)
	}
	c.DataDir = dir
	c.Slots, c.AfterEffects = max(1, c.Slots), max(1, c.AfterEffects)
	c.CacheSize, c.FrameAgain = cmp.Or(c.CacheSize, 20<<30), cmp.Or(c.FrameAgain, 15*time.Second)
	c.Protocol = cmp.Or(c.Protocol, wire.Version)
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
	if err := c.readJoinToken(); err != nil { // a machine that has joined needs none
		c.Logger.Warn("the join token that the installer left is not used", "error", err)
	}
	return nil
}

// open makes the agent ready: its folders, its inventory, and its place in the farm.
func open(ctx context.Context, cfg Config) (*agent, error) {
	a := &agent{cfg: cfg, log: cfg.Logger, welcomed: make(chan struct{}), owedNow: make(chan struct{}, 1)}
	a.addresses.Store(&address.Policy{})
	fonts, caches := adobe.NewFonts(runtime.GOOS, cfg.DataDir), adobe.NewCaches(runtime.GOOS, os.Getenv)
	if err := a.clearLeft(fonts, caches); err != nil {
		return nil, err
	}
	var err error
	if a.outbox, err = outbox.Open(filepath.Join(cfg.DataDir, "outbox")); err != nil {
		return nil, err
	}
	a.farm = farmclient.New(cfg.Coordinators, a.log)
	a.openFFmpeg()
	machine := inventory.Here()
	if cfg.Writers != nil {
		machine.Writers = cfg.Writers
	}
	a.inventory = newInventoryWatch(ctx, cfg, machine)
	if a.self, err = identity.ReadCredential(cfg.DataDir); err != nil {
		return nil, err
	}
	a.recallFarm()
	a.openSessions()
	a.slots = newSlots(a)
	a.link = newLink(a)
	a.updater = a.newUpdater()
	a.readiness.Look()
	kept, err := cache.Open(filepath.Join(cfg.DataDir, "cache"), cfg.CacheSize)
	if err != nil {
		return nil, err
	}
	if err := a.openDesk(); err != nil {
		kept.Close()
		return nil, err
	}
	a.machine = a.newMachine(kept, fonts, caches)
	uploads, err := attempt.Resume(a.machine, a.outbox.Attempts(), a.link.nudge)
	if err != nil {
		kept.Close()
		return nil, errors.Join(err, a.desk.Close())
	}
	a.slots.resume(uploads)
	return a, nil
}

// newMachine is what attempts get of this agent.
func (a *agent) newMachine(kept *cache.Cache, fonts adobe.Fonts, caches adobe.Caches) *attempt.Machine {
	guard := outbound.Guard(func() address.Policy { return *a.addresses.Load() })
	after := adobe.New(a.cfg.AfterEffects, a.watch, fonts, caches, a.log)
	if a.sessions != nil {
		after.Enter, after.Owe = a.enterSession, a.owe
	}
	pace := attempt.UsualPace()
	pace.Return = cmp.Or(a.cfg.HandOver, pace.Return)
	return &attempt.Machine{
		Name: a.cfg.Name, Slots: a.cfg.Slots, TaskTime: a.cfg.TaskTime, Limits: a.cfg.Limits, Log: a.log,
		WorkDir: a.workDir(), UploadDir: filepath.Join(a.cfg.DataDir, "sending"),
		Inventory: func() farm.Inventory { return a.inventory.now().Inventory }, Presence: a.watch, Readiness: a.readiness, Lowered: a.slots.lowering,
		AfterEffects: after,
		Cache:        kept, Shared: a.sharedFrames(), Templates: cache.OpenTemplates(filepath.Join(a.cfg.DataDir, "templates.json"), a.log),
		Farm: a.farm, Fetcher: fetch.New(a.cfg.Roots, guard), Pace: pace,
		Uploader: upload.New(guard), UploadSlot: attempt.UsualUploadSlot, LeaveSlot: a.slots.leave, Welcomed: a.welcomed,
		Key: func() []byte { return a.self.Now().Key },
	}
}

// sharedFrames is where jobs share frames. Where they do not, those that lie there from before are removed.
func (a *agent) sharedFrames() attempt.Shared {
	shared := attempt.Shared{Dir: filepath.Join(a.cfg.DataDir, "frames"), Limit: a.cfg.FramesSize}
	if shared.Limit > 0 {
		return shared
	}
	if err := shelf.Trim(shared.Dir, 0); err != nil {
		a.log.Warn("frames of earlier jobs stay on the disk", "error", err)
	}
	return shared
}

// clearLeft removes what attempts of an earlier run left behind.
func (a *agent) clearLeft(fonts adobe.Fonts, caches adobe.Caches) error {
	owed, err := caches.DiscardLeft(a.workDir())
	if err == nil {
		err = a.owe(owed)
	}
	if err != nil {
		a.log.Warn("After Effects' caches may hold something of a job that wants nothing kept", "error", err)
	}
	if err := fonts.Clear(); err != nil {
		a.log.Warn("fonts stay installed", "error", err)
	}
	if err := os.RemoveAll(a.workDir()); err != nil {
		return fmt.Errorf("clearing the work folder: %w", err)
	}
	if a.cfg.Sessions {
		err = runner.Prepare(a.workDir())
	} else {
		err = os.MkdirAll(a.workDir(), 0o700)
	}
	if err != nil {
		return fmt.Errorf("making the work folder: %w", err)
	}
	return nil
}

// openDesk begins to look at the desk.
func (a *agent) openDesk() (err error) {
	a.manners.Store(&a.cfg.Manners)
	if a.desk = a.cfg.Desk; a.desk == nil {
		var idleIn presence.IdleIn
		if a.sessions != nil {
			idleIn = a.sessions.Idle
		}
		if a.desk, err = presence.NewDesk(idleIn); err != nil {
			return fmt.Errorf("looking whether somebody works at this machine: %w", err)
		}
	}
	pause, err := pausedBefore(a.cfg.DataDir)
	if err != nil {
		a.log.Warn("the pause that was set before the last stop is lost", "error", err)
	}
	never, err := batteryBefore(a.cfg.DataDir)
	if err != nil {
		a.log.Warn("what was chosen for the battery before the last stop is lost", "error", err)
	}
	a.neverOnBattery.Store(never)
	a.load = load.NewMeter(a.cfg.DataDir)
	a.watch = presence.NewWatch(a.desk, a.rules(), pause, a.log)
	if a.sessions != nil {
		a.watch.CountRunners(a.sessions.Processes)
	}
	return nil
}

// workDir is in the data folder, unless people get files of it to whom nothing in the data folder is open.
func (a *agent) workDir() string {
	if a.cfg.Sessions {
		return a.cfg.DataDir + "-work"
	}
	return filepath.Join(a.cfg.DataDir, "work")
}

// run joins the farm and works for it until ctx ends.
func (a *agent) run(ctx context.Context) error {
	defer a.machine.Fetcher.Close()
	defer a.machine.Uploader.Close()
	defer a.farm.Close()
	defer a.machine.Cache.Close()
	defer a.closeDesk()
	a.watch.Look(ctx) // before the first lease can come
	local, err := control.Serve(a.cfg.DataDir, a, a.log)
	if err != nil {
		a.log.Warn("people at this machine cannot speak with the agent", "error", err)
	} else {
		defer a.quiet(local)
	}
	defer a.slots.stop() // again, without harm, where ctx has ended before the link began
	if err := a.enrol(ctx); err != nil {
		return err
	}
	defer a.joinGossip()()
	a.inventory.changed = func() {
		a.watch.SetRules(a.rules())
		a.link.nudge()
		a.updateGossip()
	}
	var looking sync.WaitGroup
	defer looking.Wait()
	seeing, stopLooking := context.WithCancel(ctx)
	defer stopLooking()
	looking.Go(func() { a.inventory.run(seeing) })
	looking.Go(func() { a.watch.Run(seeing, a.presenceChanged) })
	looking.Go(func() { a.watchReadiness(seeing) })
	looking.Go(func() { a.runSessions(seeing) })
	looking.Go(func() { a.takeManners(seeing) })
	looking.Go(func() { a.keepUpdated(seeing) })
	looking.Go(func() { a.ffmpeg.Run(seeing) })
	looking.Go(func() { a.showFirstFrame(seeing) })

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
	a.slots.stop()
	a.link.flush(goodbye)
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
	has := a.inventory.now()
	node := wire.Node{ID: a.self.Now().AgentID, Role: wire.RoleAgent, Version: a.cfg.Version, Inventory: has.hash[:16]}
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
