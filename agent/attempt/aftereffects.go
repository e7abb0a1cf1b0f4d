package attempt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"overcrank/agent/adobe"
	"overcrank/agent/aerender"
	"overcrank/agent/film"
	"overcrank/agent/script"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/codec"
	"overcrank/farm/names"
	"overcrank/frames"
)

// afterEffects renders a scene with After Effects. Its aerender runs no scripts: another After Effects applies the script first and saves a
// copy of the project, which is then rendered to a lossless intermediate and encoded here.
type afterEffects struct {
	*attempt
	scene    scene
	seat     adobe.Seat
	takeBack func() error // what was given to the seat's person
	filled   string       // the copy, with the assets in it
	done     func()
}

// Folders of an attempt that After Effects gets.
const (
	projectFolder = "p"
	assetsFolder  = "a"
	rawFolder     = "raw"
)

// openAfterEffects waits for this task's turn, installs the job's fonts, and has the script applied.
func (t *attempt) openAfterEffects(ctx context.Context, s scene) (engine, error) {
	ae := t.machine.AfterEffects
	release, err := ae.Take(ctx, func() { t.say("waiting for the After Effects of another task on this machine") })
	if err != nil {
		return nil, err
	}
	seat, err := ae.Enter()
	if err != nil {
		release()
		return nil, err
	}
	discard := func() {}
	if t.lease.Discard {
		if discard, err = t.discardCaches(seat); err != nil {
			release()
			return nil, err
		}
	}
	removeFonts := t.installFonts()
	e := &afterEffects{attempt: t, scene: s, seat: seat, takeBack: func() error { return nil }}
	e.done = sync.OnceFunc(func() { e.takeAllBack(); discard(); removeFonts(); release() })
	defer func() {
		if e.filled == "" { // also after a panic: other tasks wait for their turn
			e.close()
		}
	}()
	t.watch.engineStarts()
	if e.filled, err = e.apply(ctx); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *afterEffects) close() { e.done() }

// save gives the copy of the project that apply saved.
func (e *afterEffects) save(context.Context) (string, error) {
	if err := e.takeBack(); err != nil { // what it is packed from must not change any more
		return "", fmt.Errorf("taking the project's files back: %w", err)
	}
	return e.filled, nil
}

func (e *afterEffects) takeAllBack() {
	if err := e.takeBack(); err != nil {
		e.log.Warn("files of the attempt still are whose session After Effects ran in", "error", err)
	}
}

// raw is the path of a file that After Effects writes.
func (e *afterEffects) raw(name string) string { return filepath.Join(e.dir, rawFolder, name) }

// collect moves what After Effects has written, of this pattern, to where nobody else can change it.
func (e *afterEffects) collect(pattern string) error {
	written, err := durable.Find(filepath.Join(e.dir, rawFolder), pattern)
	if err != nil {
		return fmt.Errorf("looking for the result: %w", err)
	}
	for _, path := range written {
		name := filepath.Base(path)
		if err := e.seat.Collect(e.dir, filepath.Join(rawFolder, name), filepath.Join("out", name)); err != nil {
			return fmt.Errorf("taking what After Effects wrote: %w", err)
		}
	}
	return nil
}

// mostOutcome is how many bytes of a script's outcome are read.
const mostOutcome = 64 << 10

// readOutcome reads how a script went. The file is whose session After Effects ran in, and may be anything.
func (e *afterEffects) readOutcome(name string) (string, error) {
	root, err := os.OpenRoot(filepath.Join(e.dir, rawFolder))
	if err != nil {
		return "", err
	}
	defer root.Close()
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, errors.New("the outcome of the script is not a file"))
	}
	b, err := io.ReadAll(io.LimitReader(file, mostOutcome))
	return string(b), err
}

// installFonts puts the job's fonts where only After Effects looks. remove takes them away.
func (t *attempt) installFonts() (remove func()) {
	var installed []string
	for _, font := range t.lease.Fonts {
		name := names.Element(font.Name, "font.ttf")
		path, err := t.machine.AfterEffects.Fonts.Install(filepath.Join(t.dir, "fonts", name), folderName(t.lease.Attempt)+"-"+name)
		if err != nil {
			t.log.Warn("a font is not installed", "font", font.Name, "error", err)
			t.warn(fmt.Sprintf("Font '%s' could not be installed for After Effects on machine '%s'; it may be substituted", font.Name, t.machine.Name))
			continue
		}
		installed = append(installed, path)
	}
	return func() {
		for _, path := range installed {
			if err := os.Remove(path); err != nil {
				t.log.Warn("a font stays installed until the next start", "font", path, "error", err)
			}
		}
	}
}

// discardCaches marks the beginning of what After Effects' caches get of a job that wants nothing kept. discard removes it.
func (t *attempt) discardCaches(seat adobe.Seat) (discard func(), err error) {
	clear, err := t.machine.AfterEffects.DiscardFrom(t.dir, seat)
	if err != nil {
		return nil, err
	}
	return func() {
		if err := clear(); err != nil {
			t.log.Warn("After Effects' caches may hold something of a job that wants nothing kept", "error", err)
		}
	}, nil
}

// outcomeName is the name of the file in which a script says how it went.
const outcomeName = "outcome.txt"

// apply has After Effects put the assets into a copy of the project, and gives the path of the copy.
func (e *afterEffects) apply(ctx context.Context) (string, error) {
	ae := e.machine.AfterEffects
	if err := ae.NotInUse(ctx); err != nil {
		return "", err
	}
	defer ae.ExpectOurs()()
	files := script.Files{
		Script: e.raw("apply.jsx"), Outcome: e.raw(outcomeName),
		Project: e.scene.project.Path, Saved: savedPath(e.scene.project.Path),
	}
	// After Effects takes scripts from files only. This one removes itself when it begins, and is removed here when it never did.
	if err := os.WriteFile(files.Script, []byte(script.Standalone(e.scene.script, files)), 0o600); err != nil {
		return "", fmt.Errorf("writing the script: %w", err)
	}
	takeBack, err := e.seat.Give(e.dir, projectFolder, assetsFolder, rawFolder)
	if err != nil {
		return "", err
	}
	e.takeBack = takeBack
	e.say("putting the assets into the project")
	err = aerender.Apply(ctx, aerender.Application{
		Aerender: e.scene.engine.Path, Script: files.Script, Command: ae.Script(e.scene.engine.Path, files.Script),
		Host: e.seat, Dir: filepath.Join(e.dir, rawFolder), OnLine: e.hear,
	})
	if gone := os.Remove(files.Script); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		e.log.Warn("a script stays until the attempt ends", "error", gone)
	}
	if err != nil {
		ae.EndOurs()
		return "", err
	}
	outcome, err := e.readOutcome(outcomeName)
	if errors.Is(err, os.ErrNotExist) {
		return "", &failure{
			message: "Render failed: After Effects ended without having run the script; scripting may be blocked on this machine",
			retry:   true, class: farm.FailureWorker, err: err,
		}
	}
	if err != nil {
		return "", fmt.Errorf("reading how the script went: %w", err)
	}
	if message, bad := strings.CutPrefix(strings.TrimSpace(outcome), "error: "); bad {
		return "", &failure{message: message}
	}
	return files.Saved, nil
}

// render has aerender write what a plan asks for, and encodes it as the job wants it.
func (e *afterEffects) render(ctx context.Context, p plan) (result, error) {
	e.feed.at("rendering", 0, p.first, p.frames)
	req := e.request(e.scene, p)
	req.Program, req.Project, req.Host, req.Dir = []string{e.scene.engine.Path}, e.filled, e.seat, filepath.Join(e.dir, rawFolder)
	req.Output = e.raw("raw_film.mov")
	switch {
	case p.sound:
		return e.sound(ctx, req)
	case p.part:
		return e.frames(ctx, req, p)
	case p.stills:
		req.Output, req.OutputModule = e.rawPictures(), picturesModule
	case p.codec == codec.ProRes4444:
		req.OutputModule = alphaFilmModule
	default:
		req.OutputModule = filmModule
	}
	for i, run := range runsFor(req) {
		run.Done = func() (bool, error) { return e.rawWhole(ctx, p.stills, i+1, run.Frames) }
		expected, err := e.run(ctx, run)
		if err != nil {
			return result{}, err
		}
		p = p.expecting(expected)
	}
	e.feed.at("checking", 0, 0, 0)
	if err := e.collect("raw_*"); err != nil {
		return result{}, err
	}
	if err := e.encodeRaw(ctx, p); err != nil {
		return result{}, err
	}
	found, err := e.check(ctx, p)
	if err == nil {
		e.makeThumbnails(ctx, found, p)
	}
	return found, err
}

// run runs aerender and gives how many frames it said it would render, 0 when it did not say.
func (e *afterEffects) run(ctx context.Context, req aerender.Request) (expected int, err error) {
	defer e.machine.AfterEffects.ExpectOurs()()
	ran, err := aerender.Run(ctx, req)
	if errors.As(err, new(*aerender.GoneError)) {
		e.machine.AfterEffects.EndOurs()
	}
	e.warnOf(ran.Warnings)
	return ran.Expected, err
}

// rawWhole tells whether an After Effects that finished and does not end has written everything: a film of so many frames, or the
// pictures of so many runs.
func (e *afterEffects) rawWhole(ctx context.Context, stills bool, runs, frames int) (bool, error) {
	out := filepath.Join(e.dir, rawFolder)
	if stills {
		return picturesWhole(ctx, out, runs*frames)
	}
	// The container's extension is After Effects' own choice.
	written, err := durable.Find(out, "raw_film.*")
	if err != nil || len(written) == 0 {
		return false, err
	}
	_, err = film.CheckFilm(ctx, written[0], film.Want{Frames: frames})
	var wrong *film.Wrong
	if errors.As(err, &wrong) {
		return false, nil
	}
	return err == nil, err
}

// runsFor are the runs of After Effects that a request takes: it renders ranges, and no single frames.
func runsFor(req aerender.Request) []aerender.Request {
	if req.Stills == nil {
		return []aerender.Request{req}
	}
	runs := make([]aerender.Request, len(req.Stills))
	for i, n := range req.Stills {
		runs[i] = req
		runs[i].Stills, runs[i].Start, runs[i].End, runs[i].Frames = nil, &n, &n, 1
	}
	return runs
}

// encodeRaw encodes what After Effects wrote as the job wants it. The container's extension is After Effects' own choice.
func (e *afterEffects) encodeRaw(ctx context.Context, p plan) error {
	out := filepath.Join(e.dir, "out")
	written, err := durable.Find(out, "raw_*")
	if err != nil {
		return fmt.Errorf("looking for the result: %w", err)
	}
	if len(written) == 0 {
		return &film.Wrong{Message: "After Effects wrote no result"}
	}
	for _, raw := range written {
		name := "film." + p.ext
		if p.stills {
			number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(raw), "raw_"), filepath.Ext(raw))
			name = stillsPrefix + number + "." + p.ext
		}
		if err := film.Encode(ctx, raw, filepath.Join(out, name), p.codec, e.machine.Inventory().Encoders); err != nil {
			var u *film.Unreadable
			if errors.As(err, &u) {
				return &film.Wrong{Message: "what After Effects wrote " + u.Error()}
			}
			return err
		}
		if err := os.Remove(raw); err != nil {
			return fmt.Errorf("removing the intermediate: %w", err)
		}
	}
	return nil
}

// sound renders the sound alone. An After Effects without a template for that renders the film, and its pictures go.
func (e *afterEffects) sound(ctx context.Context, req aerender.Request) (result, error) {
	out := filepath.Join(e.dir, "out")
	req.Output, req.OutputModule = e.raw("raw_sound.aif"), soundModule
	req.Done = func() (bool, error) {
		written, err := durable.Find(filepath.Join(e.dir, rawFolder), "raw_sound.*")
		if err != nil || len(written) == 0 {
			return false, err
		}
		info, err := film.Probe(ctx, written[0])
		return err == nil && info.Audio, nil // what cannot be read is not whole
	}
	_, err := e.run(ctx, req)
	if noTemplate(err) {
		e.say("this After Effects has no output module for sound alone; it renders the film for its sound")
		req.Output, req.OutputModule = e.raw("raw_sound.mov"), filmModule
		_, err = e.run(ctx, req)
	}
	if err == nil {
		err = e.collect("raw_sound.*")
	}
	if err != nil {
		return result{}, err
	}
	written, err := durable.Find(out, "raw_sound.*")
	if err != nil || len(written) == 0 {
		return result{}, errors.Join(err, &film.Wrong{Message: "After Effects wrote no sound"})
	}
	path := filepath.Join(out, soundName)
	found, err := film.Sound(ctx, written[0], path)
	var u *film.Unreadable
	switch {
	case errors.As(err, &u):
		return result{}, &film.Wrong{Message: "the sound that After Effects wrote " + u.Error()}
	case err != nil:
		return result{}, err
	case !found:
		if err := os.WriteFile(path, frames.NoSound(), 0o600); err != nil {
			return result{}, fmt.Errorf("writing that there is no sound: %w", err)
		}
	}
	for _, raw := range written { // there may be a whole film among them
		if err := os.Remove(raw); err != nil {
			return result{}, fmt.Errorf("removing the intermediate: %w", err)
		}
	}
	return e.checkSound()
}
