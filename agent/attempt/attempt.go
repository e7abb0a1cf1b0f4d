// Package attempt carries out one lease: a pipeline of stages, each of which takes a value and hands a value on.
//
//	fetch → lay out → plan → render and check → deliver → report
//
// What a lease asks for, and what each stage has found out, is never changed by a later stage. DESIGN.md of package agent draws every hop.
package attempt

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"overcrank/agent/adobe"
	"overcrank/agent/aerender"
	"overcrank/agent/cache"
	"overcrank/agent/farmclient"
	"overcrank/agent/fetch"
	"overcrank/agent/film"
	"overcrank/agent/presence"
	"overcrank/agent/readiness"
	"overcrank/agent/upload"
	"overcrank/farm"
	"overcrank/farm/redact"
	"overcrank/farm/wire"
)

// Machine is what attempts use of the machine they run on. All attempts of an agent share one, and none changes it.
type Machine struct {
	Name      string
	Slots     int           // among which the embedded engine's memory and processors are divided
	TaskTime  time.Duration // that an engine may take for one task; 0 for no limit
	Limits    aerender.Limits
	WorkDir   string // in which each attempt has a folder
	UploadDir string // of results on their way to storage that is not the farm's
	Log       *slog.Logger

	Inventory    func() farm.Inventory
	Presence     *presence.Watch
	Readiness    *readiness.Readiness
	AfterEffects *adobe.AfterEffects
	Lowered      func() <-chan struct{} // closed when engines are to run with the lowest priority

	Cache     *cache.Cache
	Shared    Shared
	Templates *cache.Templates
	Farm      *farmclient.Client // nil for a trial, of which the farm learns nothing
	Fetcher   *fetch.Fetcher
	Pace      Pace // at which finished frames are handed over

	Uploader   *upload.Uploader
	UploadSlot time.Duration       // how long an upload that makes no headway keeps its slot
	LeaveSlot  func(*Upload) bool  // lets an upload go on without a slot; false when too many do
	Welcomed   <-chan struct{}     // closed when the farm has welcomed this agent for the first time
	Key        func() (key []byte) // of this machine's certificate, under which uploads on disk are sealed; empty before the first
}

// attempt is one lease at work. It is complete when the first stage begins, and not changed after that: what it tells goes into its journal,
// what it makes from stage to stage. Everything on disk lies in one folder, which is removed at the end. Of
// this p, a and raw belong to whose session After Effects runs in while it does:
//
//	in       the project as it was fetched
//	p        the project laid out
//	a/<n>    the file of asset n
//	fonts    fonts of the job
//	raw      what After Effects writes, and its script
//	out      what the embedded engine writes, and what is made of the rest
//	thumbs   small pictures of finished frames
//	tmp      for the engine and its children
type attempt struct {
	*journal
	machine *Machine
	lease   wire.Lease   // with the values of secrets, once revealed
	given   *farm.Upload // where the result goes as the job names it, with references to secrets
}

func newAttempt(m *Machine, lease wire.Lease, f *Feed, log *slog.Logger) *attempt {
	secrets := concealing(lease.Secrets)
	f.conceal(secrets)
	dir := filepath.Join(m.WorkDir, folderName(lease.Attempt))
	return &attempt{
		journal: &journal{feed: f, log: slog.New(redact.Handler(log.Handler(), secrets)), secrets: secrets, dir: dir},
		machine: m, lease: lease, given: lease.Upload,
	}
}

var notPlain = regexp.MustCompile(`[^0-9A-Za-z.-]`)

// folderName is short, since some programs cannot open long paths, and plain, whatever the task is called.
func folderName(at wire.Attempt) string {
	task := strings.Trim(notPlain.ReplaceAllString(at.Task, "-"), ".")
	return fmt.Sprintf("%.60s-%d", task, at.Attempt)
}

// Run carries out a lease until it is finished or ctx ends; the cause of ctx says why (ErrDropped, ErrStopping, *Cancelled, *GivenBack).
// What it tells meanwhile goes into f. Nothing of it is left when it returns, but for an upload that goes on.
func Run(ctx context.Context, m *Machine, lease wire.Lease, f *Feed, log *slog.Logger) End {
	t := newAttempt(m, lease, f, log)
	var done delivered
	err := t.safely(func() (err error) {
		done, err = t.work(ctx)
		return err
	})
	return t.end(ctx, done, err)
}

// safely turns a panic, which a file could cause that no check foresaw, into an error: it ends one attempt, and not the other ones of this
// machine.
func (t *attempt) safely(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			t.log.Error("a fault of the agent's own", "cause", cause, "stack", string(debug.Stack()))
			err = fmt.Errorf("a fault of the agent's own: %v", cause)
		}
	}()
	return do()
}

// product is what the rendering stages hand on: a validated result and, of a film that is rendered frame by frame, the frames that are done.
// The frames are handed on with an error, too.
type product struct {
	result
	frames *handover // nil where an attempt that ends early has nothing to hand over
}

// makers are the kinds of tasks that an agent can do.
func makers() map[farm.TaskKind]func(*attempt, context.Context) (product, error) {
	return map[farm.TaskKind]func(*attempt, context.Context) (product, error){
		farm.TaskRender:   (*attempt).renderProject,
		farm.TaskSample:   (*attempt).renderProject,
		farm.TaskSound:    (*attempt).renderProject,
		farm.TaskAssemble: (*attempt).assembleParts,
		farm.TaskJoin:     (*attempt).joinClips,
	}
}

// work makes the result and delivers it.
func (t *attempt) work(ctx context.Context) (delivered, error) {
	maker, known := makers()[t.lease.Kind]
	if !known {
		message := fmt.Sprintf("This agent cannot run tasks of kind '%s'; update it", t.lease.Kind)
		return delivered{}, &failure{message: message, retry: true, class: farm.FailureWorker}
	}
	if err := film.Tools(); err != nil { // an engine would call that a fault of the project
		return delivered{}, err
	}
	if err := t.makeFolders(); err != nil {
		return delivered{}, err
	}
	t.say("attempt %d on %s", t.lease.Attempt.Attempt, t.machine.Name)
	revealed, err := t.revealed()
	if err != nil {
		return delivered{}, err
	}
	made, err := maker(revealed, ctx)
	if err != nil {
		return delivered{frames: made.frames}, err
	}
	revealed.sendFrameTimes(ctx)
	shown := revealed.beginProxy(ctx, made.result)
	done, err := delivery{revealed}.deliver(ctx, made)
	shown(err)
	return done, err
}

func (t *attempt) makeFolders() error {
	for _, sub := range []string{"in", projectFolder, assetsFolder, "fonts", rawFolder, "out", "thumbs", "tmp"} {
		if err := os.MkdirAll(filepath.Join(t.dir, sub), 0o700); err != nil {
			return fmt.Errorf("making the work folder: %w", err)
		}
	}
	return nil
}

// renderProject takes a render from its files to a result: each value is what the stage before has found out.
func (t *attempt) renderProject(ctx context.Context) (product, error) {
	info, err := t.chooseEngine()
	if err != nil {
		return product{}, err
	}
	files, err := sources{t}.fetch(ctx)
	if err != nil {
		return product{}, err
	}
	s, err := layout{t}.scene(ctx, info, files)
	if err != nil {
		return product{}, err
	}
	return t.render(ctx, s, planOf(t.lease, s))
}

// removeFolder removes the work folder. A program that just ended may hold a file a moment longer.
func (t *attempt) removeFolder() {
	var err error
	for range 5 {
		if err = os.RemoveAll(t.dir); err == nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.log.Warn("the work folder stays until the next start", "error", err)
}
