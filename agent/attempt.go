package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"overcrank/agent/aerender"
	"overcrank/agent/farmclient"
	"overcrank/agent/film"
	"overcrank/agent/join"
	"overcrank/agent/parts"
	"overcrank/agent/project"
	"overcrank/agent/script"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/redact"
	"overcrank/farm/wire"
)

// attempt is one lease being worked on. Everything of it lies in one folder, which goes when it ends:
//
//	in       the project as it was fetched
//	p        the project laid out
//	a/<n>    the file of asset n
//	fonts    fonts of the job
//	out      what the engine writes
//	thumbs   small pictures of finished frames
//	tmp      for the engine and its children
type attempt struct {
	a     *agent
	lease wire.Lease
	feed  *feed
	log   *slog.Logger
	dir   string

	engine  farm.EngineInfo
	project *project.Project
	assets  []script.Asset
	script  string           // applies the assets; it holds what secrets stand for, so no file does
	secrets *redact.Redactor // conceals what they stand for
	given   *farm.Upload     // as the job has it, with references where lease.Upload has values
	filled  string           // the project with the assets in it, where After Effects has put them there; "" before

	watch   stopwatch
	sending *sending    // of the result, to storage that is not the farm's; nil before
	kept    *keptFrames // that stay when the attempt ends early; nil before the first

	lacking bool // it ended while the machine lacked what every task needs, such as room on its disk

	mu       sync.Mutex
	warnings []string
}

func newAttempt(a *agent, lease wire.Lease, f *feed, log *slog.Logger) *attempt {
	secrets := concealing(lease.Secrets)
	f.conceal(secrets)
	return &attempt{
		a: a, lease: lease, given: lease.Upload, feed: f, log: slog.New(redact.Handler(log.Handler(), secrets)), secrets: secrets,
		dir: filepath.Join(a.workDir(), folderName(lease.Attempt)),
	}
}

var notPlain = regexp.MustCompile(`[^0-9A-Za-z.-]`)

// folderName is short, since some programs cannot go deep, and plain, whatever the task is called.
func folderName(at wire.Attempt) string {
	task := strings.Trim(notPlain.ReplaceAllString(at.Task, "-"), ".")
	return fmt.Sprintf("%.60s-%d", task, at.Attempt)
}

// run does all the work and returns the report: Finished or Failed, or neither where t.sending has not ended and gives the report.
func (t *attempt) run(ctx context.Context) wire.Message {
	defer t.cleanUp()
	defer t.stopAhead()
	var output farm.OutputRef
	err := t.safely(func() (err error) {
		output, err = t.work(ctx)
		return err
	})
	if cause := context.Cause(ctx); cause != nil && !errors.As(err, new(*sentOn)) {
		err = cause
	}
	if on := (*sentOn)(nil); errors.As(err, &on) || err != nil && t.sending != nil && t.sending.goesOn() {
		return wire.Message{}
	}
	if err != nil {
		failed := t.explain(err)
		failed.Message = t.secrets.String(failed.Message)
		failed.Measured = t.watch.measured()
		t.say("%s", failed.Message)
		t.handOverDone(ctx, err, &failed)
		return wire.Message{Failed: &failed}
	}
	finished := wire.Finished{Attempt: t.lease.Attempt, Output: output, Warnings: t.warned(), Measured: t.watch.measured()}
	if t.kept != nil && t.lease.Part {
		finished.Before = t.kept.before
	}
	return wire.Message{Finished: &finished}
}

// safely turns a panic, which a file could cause that no check foresaw, into an error: it ends one attempt, and not the
// other ones of this machine.
func (t *attempt) safely(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			t.log.Error("a fault of the agent's own", "cause", cause, "stack", string(debug.Stack()))
			err = fmt.Errorf("a fault of the agent's own: %v", cause)
		}
	}()
	return do()
}

// works are the kinds of tasks that an agent can do; each gives a validated result.
func works() map[farm.TaskKind]func(*attempt, context.Context) (result, error) {
	return map[farm.TaskKind]func(*attempt, context.Context) (result, error){
		farm.TaskRender:   (*attempt).renderProject,
		farm.TaskSample:   (*attempt).renderProject,
		farm.TaskSound:    (*attempt).renderProject,
		farm.TaskAssemble: (*attempt).assemble,
		farm.TaskJoin:     (*attempt).joinClips,
	}
}

// work makes the result and hands it over.
func (t *attempt) work(ctx context.Context) (farm.OutputRef, error) {
	do, known := works()[t.lease.Kind]
	if !known {
		return farm.OutputRef{}, &failure{message: fmt.Sprintf("This agent cannot run tasks of kind '%s'; update it", t.lease.Kind), retry: true, class: farm.FailureWorker}
	}
	if err := film.Tools(); err != nil { // an engine would call that a fault of the project
		return farm.OutputRef{}, err
	}
	if err := t.makeFolders(); err != nil {
		return farm.OutputRef{}, err
	}
	t.say("attempt %d on %s", t.lease.Attempt.Attempt, t.a.cfg.Name)
	var err error
	if t.lease, err = revealed(t.lease); err != nil {
		return farm.OutputRef{}, err
	}
	made, err := do(t, ctx)
	if err == nil && t.lease.Part {
		made, err = t.behind(made)
	}
	if err != nil {
		return farm.OutputRef{}, err
	}
	return t.upload(ctx, made)
}

func (t *attempt) makeFolders() error {
	for _, sub := range []string{"in", "p", "a", "fonts", "out", "thumbs", "tmp"} {
		if err := os.MkdirAll(filepath.Join(t.dir, sub), 0o700); err != nil {
			return fmt.Errorf("making the work folder: %w", err)
		}
	}
	return nil
}

// renderProject goes through the phases of a render.
func (t *attempt) renderProject(ctx context.Context) (result, error) {
	if err := t.choose(); err != nil {
		return result{}, err
	}
	began := time.Now()
	fetched, err := t.fetch(ctx)
	t.watch.fetched(time.Since(began))
	if err != nil {
		return result{}, err
	}
	if err := t.prepare(ctx, fetched); err != nil {
		return result{}, err
	}
	if t.mayKeep(ctx) {
		return t.renderKeeping(ctx)
	}
	return t.render(ctx)
}

// choose picks the engine.
func (t *attempt) choose() error {
	var ok bool
	if t.engine, ok = chooseEngine(t.a.stock.now().Inventory, t.lease.Settings.Engine, t.lease.Engine, t.lease.Preview); !ok {
		return &failure{message: fmt.Sprintf("This machine has no engine '%s'", t.lease.Settings.Engine), retry: true, class: farm.FailureWorker}
	}
	name := "After Effects"
	if t.engine.Kind == farm.EngineEmbedded {
		name = embeddedWords
	}
	t.watch.engine(t.engine)
	t.say("rendering with %s %s", name, t.engine.Version)
	return nil
}

// say adds a line of the agent's own to the job's log.
func (t *attempt) say(format string, args ...any) {
	t.feed.log("agent: " + fmt.Sprintf(format, args...))
}

// warn adds a warning, which the job shows, once.
func (t *attempt) warn(text string) {
	text = wire.CutLine(t.secrets.String(text))
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.warnings) < 100 && !slices.Contains(t.warnings, text) {
		t.warnings = append(t.warnings, text)
	}
}

func (t *attempt) warned() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.warnings
}

// cleanUp removes the work folder. A program that just ended may hold a file a moment longer.
func (t *attempt) cleanUp() {
	var err error
	for range 5 {
		if err = os.RemoveAll(t.dir); err == nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.log.Warn("the work folder stays until the next start", "error", err)
}

// failure is an attempt's end in words for whoever submitted the job.
type failure struct {
	message string
	retry   bool
	class   farm.FailureClass // "" where retry says it all
	err     error
}

func (f *failure) Error() string { return f.message }

func (f *failure) Unwrap() error { return f.err }

// explain turns what an attempt ended with into its report.
func (t *attempt) explain(err error) wire.Failed {
	failed := wire.Failed{Attempt: t.lease.Attempt, Warnings: t.warned()}
	var (
		stopped  *cancelled
		known    *failure
		asset    *script.Error
		refused  *project.Refused
		engine   *aerender.Failure
		wrong    *film.Wrong
		clip     *join.ClipError
		noAnswer *farmclient.StatusError
		back     *givenBack
		missing  *parts.Missing
	)
	wanted := !errors.As(err, &stopped) && !errors.As(err, &back) && !errors.Is(err, errStopping) && !errors.Is(err, errDropped)
	if t.a.room.look(); wanted && t.a.room.why() != "" || durable.Full(err) || durable.Blocked(err) {
		t.lacking = wanted // whatever else an engine or ffmpeg made of it
	}
	switch {
	case errors.As(err, &stopped):
		failed.Message, failed.Cancelled = stopped.reason, true
	case errors.As(err, &back):
		failed.Message, failed.Cancelled, failed.Retry = back.reason, true, true
	case errors.Is(err, errStopping):
		failed.Message, failed.Cancelled, failed.Retry = "The agent was stopped", true, true
	case errors.Is(err, errDropped): // nobody gets this report
		failed.Message, failed.Cancelled, failed.Retry = errDropped.Error(), true, true
	case durable.Full(err):
		failed.Message, failed.Retry = fmt.Sprintf("Render failed: the disk of machine '%s' is full", t.a.cfg.Name), true
		failed.Class = farm.FailureWorker
	case durable.Blocked(err):
		failed.Message, failed.Retry = fmt.Sprintf("Render failed: the disk of machine '%s' takes no writes", t.a.cfg.Name), true
		failed.Class = farm.FailureWorker
	case errors.Is(err, film.ErrNoTools):
		failed.Message, failed.Retry = fmt.Sprintf("Render failed: ffmpeg and ffprobe are not installed on machine '%s', or not in its PATH", t.a.cfg.Name), true
		failed.Class = farm.FailureWorker
	case errors.As(err, &known):
		failed.Message, failed.Retry, failed.Class = known.message, known.retry, known.class
	case errors.As(err, &asset):
		failed.Message = asset.Error()
	case errors.As(err, &refused):
		failed.Message = refused.Message
	case errors.As(err, &engine):
		failed.Message, failed.Retry, failed.Class = engine.Message, engine.Class != farm.FailureDeterministic, engine.Class
	case errors.As(err, &missing):
		failed.Message, failed.Retry, failed.Bad = "Render failed: "+missing.Error(), true, missing.Frames
	case errors.As(err, &clip):
		failed.Message = clip.Error()
	case errors.As(err, &wrong):
		failed.Message, failed.Retry = "Render failed: "+wrong.Message, true
	case errors.As(err, &noAnswer):
		failed.Message, failed.Retry = "Render failed: "+err.Error(), true
	default:
		t.log.Error("attempt failed for a reason of this machine's", "error", err)
		failed.Message, failed.Retry = fmt.Sprintf("Render failed on machine '%s': %v", t.a.cfg.Name, t.withoutFolders(err.Error())), true
	}
	return failed
}

// withoutFolders takes this machine's work folder out of a text.
func (t *attempt) withoutFolders(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, t.dir+string(filepath.Separator), ""), t.dir, ".")
}
