package aerender

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"overcrank/aep"
	"overcrank/engine/dom"
	"overcrank/engine/encode"
	"overcrank/engine/footage"
	"overcrank/engine/render"
	"overcrank/engine/text"
	"overcrank/frames/shelf"
)

// job renders one composition into a file.
type job struct {
	out      *lines
	flags    flags
	version  string // of the program
	folder   string // the only folder that scripts and expressions read from
	fonts    *text.Book
	project  *aep.Project
	item     *aep.Item
	settings settings
	template encode.Template
	encoded  *promise[encode.Template] // template, with an encoder of this machine
	name     encode.Name
	span     span
	sources  *sources
	room     render.Room     // that the render shares with the pictures of sources
	before   *marks          // the project before its script; nil where nobody asks what that has changed
	cuts     []int           // frames of the composition at which the film's encoder begins anew
	varying  map[uint32]bool // layers of the composition that films of other jobs are likely to show otherwise
	kept     *shelf.Store    // what renders of this machine share; nil when this one shares nothing
	reused   int             // frames that others drew
	pace     pace
}

// span is the frames to render, counted from the composition's first.
type span struct {
	first, last, step int
	shown             int   // number displayed for the composition's first frame
	only              []int // if set, only these of the frames from first to last
}

func (s span) frames() int {
	if s.only != nil {
		return len(s.only)
	}
	return (s.last-s.first)/s.step + 1
}

// runs splits the frames into ranges with a constant step.
func (s span) runs() []span {
	if s.only == nil {
		return []span{s}
	}
	runs := make([]span, len(s.only))
	for i, n := range s.only {
		runs[i] = span{first: n, last: n, step: 1}
	}
	return runs
}

// open reads the project and runs the script.
func open(ctx context.Context, stdin io.Reader, out *lines, f flags) (*job, error) {
	fonts, err := text.OpenBook(fontFolders()...)
	if err != nil {
		return nil, fail(exitRuntime, "%w", err)
	}
	j, err := load(ctx, out, f, fonts)
	if err != nil {
		return nil, err
	}
	if f.script != "" && f.save == "" && templateFor(f).Cuttable() {
		before := markProject(j.project)
		j.before = &before
	}
	if err := j.runScript(ctx, stdin); err != nil {
		return nil, err
	}
	return j, nil
}

// templateFor is the output module template that the flags name, without its name when there is none.
func templateFor(f flags) encode.Template {
	t := encode.ForFile(f.output)
	if f.outputModule != "" {
		t, _ = encode.Lookup(f.outputModule) // choose says that it is not known
	}
	return t.Part(f.output)
}

// load reads the project as it is.
func load(ctx context.Context, out *lines, f flags, fonts *text.Book) (*job, error) {
	j := &job{out: out, flags: f, folder: jobFolder(f), fonts: fonts}
	var err error
	if j.project, err = aep.Open(ctx, f.project, aep.Limits{}); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fail(exitRuntime, "The project '%s' does not exist.", f.project)
		}
		return nil, fail(exitRuntime, "The project '%s' can't be opened: %w", filepath.Base(f.project), err)
	}
	if err := aep.Resolve(ctx, j.project, j.folder, aep.Limits{}); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		out.warning(fmt.Sprintf("footage could not be searched for: %v", err))
	}
	aep.Complete(j.project) // scripts also use properties that the file leaves out
	return j, nil
}

// prepare finds everything that rendering needs. After an error render must not be called; otherwise it must be.
func (j *job) prepare(ctx context.Context) error {
	if err := j.choose(); err != nil {
		return err
	}
	j.cut()
	aep.Complete(j.project)
	j.instances()
	library := footage.NewLibrary(pictureBudget(j.flags.memory))
	library.SetFonts(j.fonts)
	j.sources, j.room = newSources(j.project, j.item, library.OpenAs), library
	j.encoded = promised(ctx, j.template.Here) // ffmpeg is asked while the footage is looked at
	if err := j.checkFootage(ctx); err != nil {
		j.encoded.drop()
		return err
	}
	return nil
}

// cut finds where films of jobs that change the same layers of this project are the same. It comes before anything but the script changes the project.
func (j *job) cut() {
	if j.before == nil || j.span.step != 1 || j.span.only != nil {
		return
	}
	c := j.item.Comp
	changed := changesSince(*j.before, j.project)
	j.varying = changed.varying(j.item)
	j.cuts = cutsFor(changed.times[j.item.ID], max(1, int(math.Round(c.Duration*c.FrameRate))), c.FrameRate)
}

// instances gives layers that set essential properties for themselves compositions of their own. It comes after the script, which finds the
// compositions that the project has.
func (j *job) instances() {
	j.project = j.project.Instances()
	j.item = j.project.Item(j.item.ID)
}

// jobFolder is the only folder that a job reads from: the project's, or the script's when the project lies within that.
// A script from standard input counts as one in the working folder.
func jobFolder(f flags) string {
	if f.folder != "" {
		return absolute(f.folder)
	}
	dir := absolute(filepath.Dir(f.project))
	if f.script == "" {
		return dir
	}
	outer := absolute(filepath.Dir(f.script)) // of "-" this is the working folder
	if rel, err := filepath.Rel(outer, dir); err == nil && filepath.IsLocal(rel) && filepath.Dir(outer) != outer {
		return outer
	}
	return dir
}

func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}

func fontFolders() []string {
	if dir := environment("OVERCRANK_FONTS", ""); dir != "" {
		return []string{dir}
	}
	return nil
}

// maxScript bounds a script in bytes; a job's assets may carry data.
const maxScript = 64 << 20

// scriptInput as the value of -r reads the script from standard input, so that it need not be on a disk.
const scriptInput = "-"

func (j *job) runScript(ctx context.Context, stdin io.Reader) error {
	if j.flags.script == "" {
		return nil
	}
	name := filepath.Base(j.flags.script)
	var code []byte
	var err error
	if j.flags.script == scriptInput {
		name = "script"
		code, err = io.ReadAll(io.LimitReader(stdin, maxScript+1))
	} else {
		code, err = readScript(j.flags.script)
	}
	if err != nil {
		return fail(exitScript, "The script can't be read: %w", err)
	}
	if len(code) > maxScript {
		return fail(exitScript, "The script '%s' is larger than %d MiB.", name, maxScript>>20)
	}
	err = dom.Run(ctx, j.project, name, strings.TrimPrefix(string(code), "\ufeff"), dom.Options{
		Folder: j.folder, Output: j.out, Fonts: j.fonts, Probe: footage.Probe,
	})
	if err != nil {
		return fail(exitScript, "%w", err)
	}
	return nil
}

// readScript reads a regular file, up to one byte more than maxScript.
func readScript(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("'%s' is not a regular file", filepath.Base(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxScript+1))
}

// choose finds the composition, the templates and the frames that the flags name.
func (j *job) choose() error {
	var ok bool
	if j.flags.comp == "" {
		return fail(exitRuntime, "No comp was named: the embedded engine does not read render queues, name one with -comp.")
	}
	if j.item = j.project.Composition(j.flags.comp); j.item == nil {
		return fail(exitRuntime, "No comp was found with the given name.")
	}
	if j.settings, ok = settingsNamed(j.flags.renderSettings); !ok {
		return fail(exitRuntime, "No render settings template was found with the given name.")
	}
	if j.template = encode.ForFile(j.flags.output); j.flags.outputModule != "" {
		if j.template, ok = encode.Lookup(j.flags.outputModule); !ok {
			return fail(exitRuntime, "No output module template was found with the given name.")
		}
	}
	if j.flags.output == "" {
		return fail(exitRuntime, "Specified render queue item needs output file but none provided.")
	}
	j.template = j.template.Part(j.flags.output)
	var err error
	if j.span, err = chooseSpan(j.item.Comp, j.flags); err != nil {
		return fail(exitRuntime, "%w", err)
	}
	var changed string
	if j.name, changed, err = encode.ParseName(absoluteOutput(j.flags.output), j.template, j.span.frames()); err != nil {
		return fail(exitRuntime, "%w", err)
	}
	if changed != "" {
		j.out.warning(changed)
	}
	return nil
}

func absoluteOutput(path string) string {
	if abs, err := filepath.Abs(path); err == nil && !strings.HasSuffix(path, string(filepath.Separator)) {
		return abs
	}
	return path
}

// chooseSpan is the work area, unless -s and -e say otherwise. Their numbers count from the number displayed for the
// composition's first frame, and are clamped to the composition.
func chooseSpan(c *aep.Composition, f flags) (span, error) {
	if !(c.FrameRate > 0) || !(c.Duration > 0) {
		return span{}, errors.New("the composition has no length")
	}
	frame := func(t float64) int { return int(math.Round(t * c.FrameRate)) }
	total := max(1, frame(c.Duration))
	s := span{step: f.step, shown: frame(c.DisplayStart), last: total - 1}
	if c.WorkAreaDuration > 0 {
		s.first = min(max(0, frame(c.WorkAreaStart)), total-1)
		s.last = min(max(s.first, s.first+frame(c.WorkAreaDuration)-1), total-1)
	}
	if f.start != nil {
		s.first = max(0, *f.start-s.shown)
		if f.end == nil {
			s.last = max(s.last, min(s.first, total-1))
		}
	}
	if f.end != nil {
		s.last = min(*f.end-s.shown, total-1)
	}
	for _, n := range f.stills {
		if n -= s.shown; n < 0 || n >= total {
			return span{}, fmt.Errorf("frame %d is not in the composition, which has the frames %d to %d", n+s.shown, s.shown, s.shown+total-1)
		}
		s.only = append(s.only, n)
		s.first, s.last = s.only[0], n
	}
	if s.first >= total || s.last < s.first {
		return span{}, fmt.Errorf("the frames %d to %d are not in the composition, which has the frames %d to %d",
			s.first+s.shown, s.last+s.shown, s.shown, s.shown+total-1)
	}
	return s, nil
}
