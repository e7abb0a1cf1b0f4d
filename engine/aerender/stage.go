package aerender

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"overcrank/engine/dom"
	"overcrank/engine/footage"
	"overcrank/engine/raster"
	"overcrank/engine/render"
	"overcrank/engine/text"
)

// Stage draws single frames of a project again and again, of one composition and another, changed by one script and another. Between them
// it keeps what the next frame is likely to need: the project as its file has it, opened, the fonts, and the scene that the last script
// left, with its pictures. One goroutine at a time uses it.
type Stage struct {
	Project string   // path of the project
	Folder  string   // the only folder that is read; it holds the project
	Fonts   []string // folders of fonts that come before the machine's; one that is not there has none
	Budget  int64    // of pictures that are kept, of files and drawn ones, in bytes; 0 for the engine's own

	next  *job // opened and unchanged; nil after it was used
	scene *stagedScene
	files *kept
	// fonts are those of the composition fontsFor: what they tell was replaced is told of its frames.
	fonts    *text.Book
	fontsFor string
}

// Shot is a frame that a Stage draws.
type Shot struct {
	Composition string
	Script      string  // changes the project first; "" changes nothing
	Frame       int     // from 0; below 0 for the one at Time
	Time        float64 // seconds from the composition's start
	Width       int     // of the picture at most, in pixels; the composition's own when that is smaller
}

// Unfit is why a frame cannot be drawn that whoever asked can mend, in words for them.
type Unfit struct{ Message string }

// Error implements error.
func (e *Unfit) Error() string { return e.Message }

// View is a frame that a Stage drew.
type View struct {
	Picture  *image.RGBA // valid until the next frame is drawn
	Frame    int
	Frames   int      // of the composition
	Rate     float64  // frames in a second
	Warnings []string // of what is not drawn as it should be, in this and in earlier frames of the same scene
}

// stagedScene is a composition as a script left it.
type stagedScene struct {
	of       Shot // but for the frame
	job      *job
	renderer *render.Renderer

	mu       sync.Mutex
	warnings []string
}

// Draw draws a frame and hands it to use. Errors are *Unfit for what whoever asked can mend; after any other error the next frame begins
// with a project that is opened anew.
func (s *Stage) Draw(ctx context.Context, shot Shot, use func(View) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the engine failed: %v\n%s", r, debug.Stack())
		}
		if err != nil {
			err = errors.Join(unfit(err), s.strike())
		}
	}()
	if err := s.set(ctx, shot); err != nil {
		return err
	}
	c := s.scene.job.item.Comp
	n, all, err := frameOf(shot, s.scene.job)
	if err != nil {
		return err
	}
	return s.scene.renderer.Frames(ctx, n, n, 1, func(n int, img *raster.Image) error {
		return use(View{Picture: img, Frame: n, Frames: all, Rate: c.FrameRate, Warnings: s.scene.told()})
	})
}

// Rest opens the project for the next scene, so that whoever asks for it does not wait for that.
func (s *Stage) Rest(ctx context.Context) error {
	if s.next != nil {
		return nil
	}
	var err error
	s.next, err = load(ctx, &lines{warnings: map[string]bool{}, hear: func(string) {}}, s.flags(), nil)
	return err
}

// Close lets go of the files that are open.
func (s *Stage) Close() error {
	err := s.strike()
	if s.files != nil {
		err = errors.Join(err, s.files.close())
		s.files = nil
	}
	return err
}

func (s *Stage) flags() flags {
	return flags{project: s.Project, folder: s.Folder, step: 1, skipMissing: true, workers: 1, script: scriptInput}
}

// set makes the scene of a shot, unless it is the one that stands.
func (s *Stage) set(ctx context.Context, shot Shot) error {
	shot.Frame, shot.Time = 0, 0
	if s.scene != nil && s.scene.of == shot {
		return nil
	}
	if err := s.strike(); err != nil {
		return err
	}
	if s.fonts == nil || s.fontsFor != shot.Composition {
		fonts, err := text.OpenBook(s.Fonts...)
		if err != nil {
			return err
		}
		s.fonts, s.fontsFor = fonts, shot.Composition
	}
	if s.files == nil {
		s.files = newKept(cmp.Or(s.Budget, footage.DefaultBudget))
	}
	s.files.library.SetFonts(s.fonts)
	if err := s.Rest(ctx); err != nil {
		return err
	}
	scene := &stagedScene{of: shot, job: s.next}
	s.next, s.scene = nil, scene
	j := scene.job
	j.fonts, j.out = s.fonts, &lines{warnings: map[string]bool{}, hear: scene.hear}
	if shot.Script != "" {
		if err := j.runScript(ctx, strings.NewReader(shot.Script)); err != nil {
			return err
		}
	}
	return scene.build(ctx, s.files)
}

// build prepares what draws the scene.
func (s *stagedScene) build(ctx context.Context, files *kept) (err error) {
	j := s.job
	if j.item = j.project.Composition(s.of.Composition); j.item == nil {
		return &Unfit{fmt.Sprintf("Composition '%s' not found", s.of.Composition)}
	}
	j.settings, _ = settingsNamed("Best Settings")
	j.settings.scale = min(1, float64(s.of.Width)/float64(max(1, j.item.Comp.Width)))
	j.instances()
	j.sources, j.room = newSources(j.project, j.item, files.open), files.library
	if err := j.checkFootage(ctx); err != nil {
		return err
	}
	s.renderer, err = render.New(j.project, j.item, j.options())
	return err
}

// strike takes the scene down.
func (s *Stage) strike() error {
	scene := s.scene
	s.scene = nil
	if scene == nil {
		return nil
	}
	if scene.job.sources != nil {
		scene.job.sources.close()
	}
	if scene.renderer == nil {
		return nil
	}
	return scene.renderer.Close()
}

func (s *stagedScene) hear(warning string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warnings = append(s.warnings, warning)
}

// told are the warnings so far.
func (s *stagedScene) told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.warnings, s.job.fonts.Substitutes())
}

// frameOf is the number of a shot's frame, and how many its composition has.
func frameOf(shot Shot, j *job) (n, all int, err error) {
	c := j.item.Comp
	if _, err := chooseSpan(c, flags{step: 1}); err != nil {
		return 0, 0, &Unfit{err.Error()}
	}
	all = max(1, int(c.Duration*c.FrameRate+0.5))
	if n = shot.Frame; n < 0 {
		n = int(min(shot.Time*c.FrameRate+frameSlack, float64(all))) // a frame lasts until the next begins
	}
	if n < 0 || n >= all {
		return 0, 0, &Unfit{fmt.Sprintf("Composition '%s' has the frames 0 to %d, and lasts %g seconds", j.item.Name, all-1, c.Duration)}
	}
	return n, all, nil
}

// frameSlack makes a time that rounding put just before a frame that frame's.
const frameSlack = 1e-6

// unfit is what a script threw as an error for whoever asked.
func unfit(err error) error {
	var threw *dom.ScriptError
	if errors.As(err, &threw) {
		return &Unfit{threw.Message}
	}
	return err
}
