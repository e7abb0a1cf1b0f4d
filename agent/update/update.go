// Package update updates this machine's agent to the release that the farm has chosen: it fetches and checks the release, lets the machine finish its
// work, and hands the release to the launcher, which starts it on trial. The farm can only choose among signed releases: this package verifies the
// signature, and the launcher verifies it again.
package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"aead.dev/minisign"
	"golang.org/x/time/rate"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/interval"
	"overcrank/launcher"
	"overcrank/release"
)

// ErrRestart is the error of Run when a release is staged: the agent has to end, so that the launcher starts the release.
var ErrRestart = errors.New("a release is ready to be started")

// Farm is where files of releases come from.
type Farm interface {
	// Download writes a file of the farm, named by its hash, to w. A transfer that breaks off is resumed.
	Download(ctx context.Context, sha256 string, w io.Writer) error
}

// Config says how a machine is updated.
type Config struct {
	Launch  *launcher.Launch // by the launcher that started this agent; nil for an agent that is updated by hand
	Version string           // of this agent, when no launcher started it
	Managed bool             // the machine's administrators install releases themselves
	Roots   func() ([]minisign.PublicKey, error)
	Farm    Farm
	// Finish stops taking work and returns once the machine's work is finished. resume takes work again, if the release is not started after all.
	// ctx ends when the release is no longer wanted.
	Finish func(ctx context.Context, release string) (resume func(), err error)
	// Welcomed is closed when the farm has welcomed this agent; Trial renders a frame. A version on trial is healthy after both.
	Welcomed <-chan struct{}
	// Away tells whether the farm cannot be reached at all. A version on trial is given more time then: no other version would reach it either.
	Away func() bool
	// Trial fails with ErrNotRendered on a machine that cannot render with any version.
	Trial   func(ctx context.Context) error
	Changed func() // called when Told has changed; must be safe to call at any time
	// RetryAfter is the pause after the first failed attempt; it doubles each time. 0 means a minute.
	RetryAfter time.Duration
	Log        *slog.Logger
}

// ErrNotRendered means that a trial rendered nothing, for a reason that is not the version's: it stays, and does not count as one that works.
var ErrNotRendered = errors.New("no frame was rendered")

// Updater keeps a machine at the release that the farm wants. Its methods may be called at the same time.
type Updater struct {
	cfg   Config
	woken chan struct{} // another release is wanted

	mu     sync.Mutex
	wanted wire.Update
	told   wire.Updating
	stop   context.CancelFunc // of the release that is being fetched; nil for none
}

// New returns the updater of a machine. It reads from the launcher how the last update ended.
func New(cfg Config) *Updater {
	u := &Updater{cfg: cfg, woken: make(chan struct{}, 1), told: wire.Updating{Version: cfg.Version, Mode: farm.UpdatedByHand}}
	if cfg.Launch != nil {
		u.told.Version, u.told.Mode = cfg.Launch.Version, farm.UpdatedByFarm
		u.recall()
	}
	if cfg.Managed {
		u.told.Mode = farm.UpdatedByOthers
	}
	return u
}

// recall reads how the last update ended.
func (u *Updater) recall() {
	state, err := launcher.Read(u.cfg.Launch.Folder)
	if err != nil {
		u.cfg.Log.Warn("cannot read how the last update ended", "error", err)
		return
	}
	switch last := state.Outcome; {
	case u.cfg.Launch.Trial:
		u.told.Release, u.told.State = u.cfg.Launch.Version, farm.UpdateInstalling
	case last == nil:
	case last.Good && last.Version == u.cfg.Launch.Version:
		u.told.Release, u.told.State, u.told.Reason, u.told.Rendered = last.Version, farm.UpdateDone, last.Reason, last.Reason == ""
	case last.Away:
		u.told.Release, u.told.State, u.told.Reason, u.told.Failures = last.Version, farm.UpdateRetrying, last.Reason, 1
	case !last.Good:
		u.told.Release, u.told.State, u.told.Reason = last.Version, farm.UpdateRolledBack, last.Reason
	}
}

// Told is what the agent reports to the farm about its version and updates.
func (u *Updater) Told() wire.Updating {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.told
}

// Want sets the release that the farm wants. It stops fetching a release that is no longer wanted.
func (u *Updater) Want(wanted wire.Update) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stop != nil && u.wanted.Release != wanted.Release {
		u.stop()
	}
	u.wanted = wanted
	select {
	case u.woken <- struct{}{}:
	default:
	}
}

// tell changes what is reported about a release.
func (u *Updater) tell(release string, state farm.UpdateState, reason string) {
	u.change(func(told *wire.Updating) {
		if told.Release != release {
			told.Failures = 0
		}
		told.Release, told.State, told.Reason = release, state, reason
	})
}

// tellFailure reports an attempt to take a release that failed and is repeated.
func (u *Updater) tellFailure(release string, why error) {
	u.change(func(told *wire.Updating) {
		told.Release, told.State, told.Reason = release, farm.UpdateRetrying, why.Error()
		told.Failures++
	})
}

// tellWorks reports that the running version works. why is why it rendered nothing, nil when it did.
func (u *Updater) tellWorks(why error) {
	u.change(func(told *wire.Updating) {
		told.Release, told.State, told.Reason, told.Rendered, told.Failures = told.Version, farm.UpdateDone, words(why), why == nil, 0
	})
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (u *Updater) change(change func(told *wire.Updating)) {
	u.mu.Lock()
	change(&u.told)
	u.mu.Unlock()
	u.cfg.Changed()
}

// Run keeps the machine at the release that the farm wants until ctx ends. The error is ErrRestart when a release is ready to be started, and another one
// when the running version fails its trial.
func (u *Updater) Run(ctx context.Context) error {
	if u.cfg.Launch == nil {
		return nil
	}
	if u.cfg.Launch.Trial {
		if err := u.prove(ctx); err != nil {
			return err
		}
	}
	if u.cfg.Managed {
		return nil
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-u.woken:
		}
		if err := u.follow(ctx); err != nil {
			return err
		}
	}
}

// prove ends the trial of the running version once the farm has welcomed it and it has rendered.
func (u *Updater) prove(ctx context.Context) error {
	if err := u.awaitFarm(ctx); err != nil {
		return nil //nolint:nilerr // ctx ended
	}
	version := u.cfg.Launch.Version
	why, err := u.render(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("release %s does not render on this machine: %w", version, err)
	}
	if err := u.cfg.Launch.Healthy(words(why)); err != nil {
		return err
	}
	u.cfg.Log.Info("this release works on this machine", "version", version, "rendered", why == nil)
	u.tellWorks(why)
	return nil
}

// render renders a frame with the running version. why is why nothing could be rendered, through no fault of the version.
func (u *Updater) render(ctx context.Context) (why, err error) {
	if err := u.cfg.Trial(ctx); !errors.Is(err, ErrNotRendered) {
		return nil, err
	} else {
		return err, nil
	}
}

// awayLook is how often a version on trial that was not welcomed yet looks whether the farm can be reached.
const awayLook = time.Second

// awaitFarm waits until the farm has welcomed this agent. Meanwhile it tells the launcher when the farm cannot be reached, so that the trial takes longer.
func (u *Updater) awaitFarm(ctx context.Context) error {
	ticker := time.NewTicker(awayLook)
	defer ticker.Stop()
	was := false
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-u.cfg.Welcomed:
			return nil
		case <-ticker.C:
		}
		if is := u.cfg.Away(); is != was {
			if err := u.cfg.Launch.Away(is); err != nil {
				u.cfg.Log.Warn("cannot tell the launcher whether the farm can be reached", "error", err)
				continue
			}
			was = is
		}
	}
}

// follow takes the release that the farm wants, if the machine does not have it. It repeats attempts that failed while the release is wanted. The only error
// is ErrRestart.
func (u *Updater) follow(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	u.mu.Lock()
	wanted, told := u.wanted, u.told
	u.stop = stop
	u.mu.Unlock()
	defer func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.stop = nil
	}()
	switch {
	case wanted.Release == "", told.Release == wanted.Release && told.State == farm.UpdateRolledBack:
		return nil
	case wanted.Release == told.Version:
		u.show(ctx, told)
		return nil
	}
	pause := u.cfg.RetryAfter
	if pause == 0 {
		pause = time.Minute
	}
	for damaged := 0; ; pause = min(2*pause, longestPause) {
		err := u.take(ctx, wanted)
		if err == nil {
			return ErrRestart
		}
		if ctx.Err() != nil {
			u.leave(told)
			return nil
		}
		if errors.Is(err, release.ErrTruncated) || errors.Is(err, release.ErrDamaged) {
			damaged++
		} else if final(err) {
			damaged = damagedTries
		}
		if damaged >= damagedTries {
			u.cfg.Log.Warn("refusing a release", "release", wanted.Release, "error", err)
			u.tell(wanted.Release, farm.UpdateRefused, err.Error())
			return nil
		}
		u.cfg.Log.Warn("taking a release failed; trying again", "release", wanted.Release, "retry_after", pause, "error", err)
		u.tellFailure(wanted.Release, err)
		if told = u.Told(); interval.Wait(ctx, pause) != nil {
			return nil // the failure remains what is reported
		}
	}
}

const (
	// longestPause is the longest pause between two attempts to take a release.
	longestPause = 30 * time.Minute
	// damagedTries is after how many downloads with wrong content a release is refused.
	damagedTries = 3
)

// show renders with the running version, which the farm wants and which did not come by an update or could not render so far, and reports whether it works.
func (u *Updater) show(ctx context.Context, told wire.Updating) {
	if told.Release == told.Version && told.State == farm.UpdateDone && told.Rendered {
		return
	}
	why, err := u.render(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		u.tell(told.Version, farm.UpdateRefused, fmt.Sprintf("it runs on this machine, but does not render: %v", err))
	default:
		u.tellWorks(why)
	}
}

// leave reports again what was reported before a release that is no longer wanted.
func (u *Updater) leave(before wire.Updating) {
	u.change(func(told *wire.Updating) { *told = before })
}

// final tells whether an error is about the release itself, so that another attempt would fail too.
func final(err error) bool {
	return release.Reason(err) != "" || errors.Is(err, launcher.ErrBad) || errors.Is(err, launcher.ErrLauncher) || errors.Is(err, launcher.ErrRuns)
}

// take fetches a release, finishes the machine's work and stages the release.
func (u *Updater) take(ctx context.Context, wanted wire.Update) (err error) {
	roots, err := u.cfg.Roots()
	if err != nil {
		return err
	}
	made, err := release.Check(documents(wanted.Documents), roots, time.Now())
	if err != nil {
		return err
	}
	if made.Version != wanted.Release {
		return fmt.Errorf("%w: the farm calls it %s, but its manifest says %s", release.ErrFormat, wanted.Release, made.Version)
	}
	file, err := made.File(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return err
	}
	if err := u.cfg.Launch.Accepts(made); err != nil { // before anything is fetched
		return err
	}
	u.tell(wanted.Release, farm.UpdateDownloading, "")
	folder, err := u.cfg.Launch.Incoming()
	if err != nil {
		return fmt.Errorf("making room for a release: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }() // Stage has moved it if all went well
	u.cfg.Log.Info("fetching a release", "release", made.Version, "bytes", file.Size)
	if err := made.Documents.Write(folder); err != nil {
		return err
	}
	if err := u.fetch(ctx, file, filepath.Join(folder, file.Name), wanted.BytesPerSecond); err != nil {
		return err
	}
	u.tell(wanted.Release, farm.UpdateFinishing, "")
	resume, err := u.cfg.Finish(ctx, wanted.Release)
	if err != nil {
		return err
	}
	if _, err := u.cfg.Launch.Stage(folder, roots, time.Now()); err != nil {
		resume()
		return err
	}
	u.tell(wanted.Release, farm.UpdateInstalling, "")
	return nil
}

// documents converts the documents of a message.
func documents(list []farm.ReleaseDocument) release.Documents {
	var docs release.Documents
	for _, d := range list {
		switch d.Name {
		case release.ManifestName:
			docs.Manifest = d.Content
		case release.ManifestSignatureName:
			docs.ManifestSignature = d.Content
		case release.KeysName:
			docs.Keys = d.Content
		case release.KeysSignatureName:
			docs.KeysSignature = d.Content
		}
	}
	return docs
}

// fetch downloads a file of a release to path, at most at bytesPerSecond (0 for no limit), and checks it.
func (u *Updater) fetch(ctx context.Context, file release.File, path string, bytesPerSecond int64) error {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("fetching a release: %w", err)
	}
	w := &bounded{ctx: ctx, w: out, left: file.Size}
	if bytesPerSecond > 0 {
		w.pace = rate.NewLimiter(rate.Limit(bytesPerSecond), paceStep)
	}
	if err := errors.Join(u.cfg.Farm.Download(ctx, file.SHA256, w), out.Close()); err != nil {
		return fmt.Errorf("fetching a release: %w", err)
	}
	return file.CheckFile(path)
}

// paceStep is how many bytes are written at once.
const paceStep = 16 << 10

// bounded is a writer that fails after left bytes and keeps to a pace.
type bounded struct {
	ctx  context.Context
	w    io.Writer
	left int64
	pace *rate.Limiter // nil for no limit
}

func (b *bounded) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		step := min(len(p), paceStep)
		if b.left -= int64(step); b.left < 0 {
			return n, fmt.Errorf("%w: it is longer than its manifest says", release.ErrDamaged)
		}
		if b.pace != nil {
			if err := b.pace.WaitN(b.ctx, step); err != nil {
				return n, err
			}
		}
		wrote, err := b.w.Write(p[:step])
		n += wrote
		if err != nil {
			return n, err
		}
		p = p[step:]
	}
	return n, nil
}
