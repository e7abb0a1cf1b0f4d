package aerender

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"overcrank/engine/encode"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// drawing draws the frames of a job, and has them written.
type drawing struct {
	*job
	r      *render.Renderer
	out    encode.Writer
	thumbs *thumbnails
	placed []reach // stretches of the film that another render encoded
	count  int     // frames that are done
	last   time.Time
	reused int // what the renderer reused before the last frame
}

// share places the stretches of the film that other renders have encoded, if place is true, and leaves the others to them.
func (d *drawing) share(ctx context.Context, to encode.Stretcher, cuts []int, place bool) error {
	form, _, _, _ := to.Form()
	for i, s := range stretchesOf(cuts, d.span.first, d.span.last) {
		at, known, err := d.r.Stretch(ctx, form+"\n"+to.Recipe(i), s.first, s.end-1)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		if encoded, ok := d.kept.Film(at, encode.MaxKept); ok && place {
			if err := to.Place(i, encoded, s.length()); err != nil {
				return err
			}
			d.placed = append(d.placed, s)
			continue
		}
		to.Keep(i, func(encoded []byte) {
			if d.r.Whole() {
				d.kept.Encoded(at, encoded)
			}
		})
	}
	return nil
}

// isPlaced tells whether a frame is in a stretch that was encoded before.
func (d *drawing) isPlaced(n int) bool {
	return slices.ContainsFunc(d.placed, func(s reach) bool { return n >= s.first && n < s.end })
}

// draw draws a run of frames and writes them, in the writer's own form where it has one.
func (d *drawing) draw(ctx context.Context, run span) error {
	former, ok := d.out.(encode.Former)
	if ok {
		if name, size, convert, ok := former.Form(); ok {
			return d.drawFormed(ctx, former, render.Form{Name: name, Size: size, Convert: convert}, run)
		}
	}
	return d.r.Frames(ctx, run.first, run.last, run.step, func(n int, img *raster.Image) error {
		d.countReused(n)
		d.pace.frame(ctx)
		if err := d.out.Write(n+d.span.shown, img); err != nil {
			return err
		}
		d.done(n, func() *raster.Image { return img })
		return nil
	})
}

func (d *drawing) drawFormed(ctx context.Context, out encode.Former, form render.Form, run span) error {
	next := run.first
	pass := func(until int) { // frames that nobody draws
		for ; next < until; next++ {
			if d.isPlaced(next) {
				d.job.reused++
				d.pace.frame(ctx)
				d.done(next, nil)
			}
		}
	}
	err := d.r.Formed(ctx, form, d.wanted(run), func(n int, formed *render.FormedFrame) error {
		d.countReused(n)
		pass(n)
		next = n + 1
		d.pace.frame(ctx)
		if !d.isPlaced(n) {
			if err := out.WriteFormed(n+d.span.shown, formed.Pix(), formed.Hold()); err != nil {
				return err
			}
		}
		d.done(n, func() *raster.Image { return out.Picture(formed.Pix()) })
		return nil
	})
	if err == nil {
		pass(run.last + 1)
	}
	return err
}

// wanted are the frames of a run to be drawn: those that are not encoded yet, and thumbnails.
func (d *drawing) wanted(run span) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := run.first; n <= run.last; n += run.step {
			if d.isPlaced(n) && !d.thumbs.wants(n-d.span.first) {
				continue
			}
			if !yield(n) {
				return
			}
		}
	}
}

// countReused counts frame n, which the renderer gave last, if another render drew it.
func (d *drawing) countReused(n int) {
	all := d.r.Reused()
	if all > d.reused || d.isPlaced(n) {
		d.job.reused++
	}
	d.reused = all
}

// done tells that frame n is written. Its picture is asked for only if it is to be a thumbnail, for which each frame is drawn.
func (d *drawing) done(n int, picture func() *raster.Image) {
	if err := d.thumbs.add(n, picture); err != nil {
		d.job.out.warning(fmt.Sprintf("thumbnails can't be written: %v", err))
	}
	if d.count == 0 {
		d.reportFonts()
	}
	d.count++
	now := time.Now()
	d.job.out.item("%s (%d): %s", timecode(n+d.span.shown, d.item.Comp.FrameRate, d.item.Comp.DropFrame), d.count, elapsed(now.Sub(d.last)))
	d.last = now
}
