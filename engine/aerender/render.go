package aerender

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"overcrank/aep"
	"overcrank/engine/audio"
	"overcrank/engine/encode"
	"overcrank/engine/eval"
	"overcrank/engine/expression"
	"overcrank/engine/render"
	"overcrank/frames"
)

// render renders the composition into its file.
func (j *job) render(ctx context.Context) (err error) {
	defer j.sources.close()
	defer j.encoded.drop()
	began := time.Now()
	j.pace = paceOf(j.item)
	j.pace.start(ctx)
	options := j.options()
	shared, err := j.shareFrames(&options)
	if err != nil {
		j.out.info(err.Error()) // nothing of the film is missing
	}
	defer func() { err = errors.Join(err, shared()) }()
	r, err := render.New(j.project, j.item, options)
	if err != nil {
		return fail(exitRender, "After Effects error: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	sound, err := j.mix(ctx, r)
	if err != nil {
		return err
	}
	defer sound.drop()
	j.announce(r)
	files, err := j.output(ctx, r, sound)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		if failed := sound.failed(); failed != nil {
			return failed
		}
		return fail(exitRender, "After Effects error: %w", err)
	}
	j.reportFonts()
	if n := r.Repeated(); n > 0 {
		j.out.item("Frames like the one before, not drawn again: %d", n)
	}
	if j.reused > 0 {
		j.out.item("Frames reused: %d", j.reused)
	}
	j.out.stamped("Finished composition %q.", j.item.Name)
	for _, file := range files[:min(1, len(files))] {
		j.out.item("Output To: %s", file)
	}
	j.out.item("Total Time Elapsed: %s", elapsed(time.Since(began)))
	return nil
}

func (j *job) options() render.Options {
	workers := j.flags.workers
	if n, err := strconv.Atoi(environment("OVERCRANK_WORKERS", "")); err == nil && n > 0 {
		workers = min(n, 256)
	}
	files := expression.Folder{Path: j.folder, Beside: absolute(filepath.Dir(j.flags.project))}
	return render.Options{
		Scale: j.settings.scale, Draft: j.settings.draft, MotionBlur: j.settings.blur, FrameBlending: j.settings.mix, Background: !j.template.Alpha,
		Fonts: j.fonts, Footage: j.picture, Warn: j.out.warning, Workers: workers, Room: j.room,
		Expressions: func(e *eval.Evaluator) eval.Expressions {
			return expression.New(expression.Host{
				Project: j.project, Eval: e, Fonts: j.fonts, ReadData: expression.ReadData, ReadFile: files.Read, Together: cmp.Or(workers, runtime.GOMAXPROCS(0)),
			})
		},
	}
}

// announce prints what aerender prints before the first frame.
func (j *job) announce(r *render.Renderer) {
	c := j.item.Comp
	w, h := r.Size()
	at := func(n int) string { return timecode(n, c.FrameRate, c.DropFrame) }
	j.out.progress("Adding specified comp to Render Queue")
	j.out.stamped("Starting composition %q.", j.item.Name)
	j.out.item("Render Settings: %s", j.settings.name)
	j.out.item("Quality: %s", j.settings.words)
	j.out.item("Resolution: %s", j.settings.resolution())
	j.out.item("Size: %d x %d", w, h)
	j.out.item("Output Module: %s", j.template.Name)
	j.out.item("Start: %s", at(j.span.first+j.span.shown))
	j.out.item("End: %s", at(j.span.last+j.span.shown))
	j.out.item("Duration: %s", at(j.span.frames()))
	j.out.item("Frame Rate: %.2f (comp)", c.FrameRate)
}

// output writes what the flags ask for: the sound only, or frames.
func (j *job) output(ctx context.Context, r *render.Renderer, sound *mix) ([]string, error) {
	if !j.template.Sound {
		return j.write(ctx, r, sound)
	}
	path, err := sound.file(ctx)
	if err != nil {
		return nil, err
	}
	if err := audio.Keep(path, j.name.Path); err != nil {
		return nil, err
	}
	return []string{j.name.Path}, nil
}

// write renders and encodes the frames. Where a stretch of the film that another render left turns out to be of another encoder, it begins anew
// without such stretches.
func (j *job) write(ctx context.Context, r *render.Renderer, sound *mix) ([]string, error) {
	files, err := j.writeWith(ctx, r, sound, true)
	if errors.Is(err, encode.ErrOther) {
		files, err = j.writeWith(ctx, r, sound, false)
	}
	return files, err
}

func (j *job) writeWith(ctx context.Context, r *render.Renderer, sound *mix, place bool) ([]string, error) {
	template, err := j.encoded.wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("writing '%s': %w", filepath.Base(j.name.Path), err)
	}
	w, h := r.Size()
	num, den := rateOf(j.item.Comp)
	cuts := j.cuts
	if !j.template.Frames { // who puts the film together needs all
		cuts = within(cuts, j.span.first, j.span.last)
	}
	out, err := encode.Open(ctx, encode.Spec{
		Template: template, Name: j.name, Width: w, Height: h, RateNum: num, RateDen: den * int64(j.span.step), Audio: sound.file, Shown: j.span.shown, Cuts: cuts,
	})
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	j.reused = 0
	d := &drawing{
		job: j, r: r, out: out, thumbs: newThumbnails(environment("OVERCRANK_THUMBS", ""), j.span.frames()), last: time.Now(), reused: r.Reused(),
	}
	if to, ok := out.(encode.Stretcher); ok && j.kept != nil {
		if err := d.share(ctx, to, cuts, place); err != nil {
			return nil, err
		}
	}
	for _, run := range j.span.runs() {
		if err := d.draw(ctx, run); err != nil {
			return nil, err
		}
	}
	return out.Close()
}

// reportFonts warns of missing fonts, once each.
func (j *job) reportFonts() {
	for _, s := range j.fonts.Substitutes() {
		j.out.warning(s)
	}
}

func rateOf(c *aep.Composition) (num, den int64) {
	return frames.Rate(c.FrameRate, int64(c.TicksPerSecond), int64(c.FrameTicks))
}
