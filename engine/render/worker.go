package render

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// worker draws one frame at a time.
type worker struct {
	ctx  context.Context
	r    *Renderer
	eval *eval.Evaluator
	pen  raster.Rasterizer
	sum  raster.Exposure
	at   *scene.Layer // being drawn
	n    int          // frame being drawn
	form *forming     // in which frames are wanted; nil for images
	// elsewhen is how many effects that show other times, or the effects of other layers, are being drawn, one for another.
	elsewhen int
	shows    int // pictures of other times in this frame
	casts    casts
	helpers  helpers // of a worker that draws a frame alone, while they have nothing to do
}

// switchable evaluates expressions except the disabled ones: an endless expression would cost its time limit for each
// value, and so would its copies on other layers.
type switchable struct {
	of  eval.Expressions
	off *sync.Map // the text of an expression to struct{}
}

// Evaluate implements eval.Expressions.
func (s *switchable) Evaluate(ref eval.Ref, before aep.Value, t float64) (aep.Value, error) {
	if _, off := s.off.Load(ref.Prop.Expression); off {
		return before, nil
	}
	return s.of.Evaluate(ref, before, t)
}

// Select implements eval.Selectors.
func (s *switchable) Select(ref eval.Ref, sel eval.Selection, before aep.Value, t float64) (aep.Value, error) {
	of, ok := s.of.(eval.Selectors)
	if _, off := s.off.Load(ref.Prop.Expression); off || !ok {
		return before, nil
	}
	return of.Select(ref, sel, before, t)
}

func (r *Renderer) worker(ctx context.Context) *worker {
	w := &worker{ctx: ctx, r: r, eval: &eval.Evaluator{Project: r.project, OnError: r.failed, Places: &r.places}}
	if r.opt.Expressions != nil {
		w.eval.Expressions = &switchable{of: r.opt.Expressions(w.eval), off: &r.off}
	}
	return w
}

// Fault is a panic while a frame was drawn: a bug of the engine, which must not end the caller's process.
type Fault struct {
	Layer string // the layer and its composition, "" when no layer was being drawn
	Cause any
	Stack []byte // for whoever fixes it
}

// Error names the layer.
func (f *Fault) Error() string {
	return fmt.Sprintf("%sthe embedded engine met a fault of its own: %v", f.Layer, f.Cause)
}

// safely draws frame n, unless it looks like the frame before, which is drawn too; a panic becomes a *Fault.
func (w *worker) safely(n, before int) (d drawn) {
	defer w.rescue(func(f *Fault) { d = drawn{err: f} })
	w.turnTo(n)
	w.r.sources.rest(n)
	w.r.cache.rest(n)
	if before != none && w.repeats(n, before) {
		return drawn{same: true}
	}
	return w.shared(n)
}

// rescue, deferred, gives a panic to told as a *Fault.
func (w *worker) rescue(told func(*Fault)) {
	cause := recover()
	if cause == nil {
		return
	}
	f := &Fault{Cause: cause, Stack: debug.Stack()}
	if w.at != nil {
		f.Layer = w.r.about(w.at.Comp.Item, w.at.Layer)
	}
	told(f)
}

// turnTo prepares to draw frame n, or to look at it.
func (w *worker) turnTo(n int) {
	w.n, w.shows, w.casts = n, 0, casts{}
	w.eval.BeginFrame()
}

func (w *worker) frame(n int) (*raster.Image, error) {
	r := w.r
	if r.tones != nil {
		return w.deepFrame(n)
	}
	img := r.surfaces.get(frameRect(r.width, r.height))
	if err := w.composition(img, r.stageAt(n)); err != nil {
		return img, err
	}
	if r.opt.Background {
		// Last, since it is no layer: blend modes, stencils and adjustment layers do not see it.
		bg := r.comp.Comp.Background
		raster.FillBehind(img, raster.Premultiply([4]float64{bg[0], bg[1], bg[2], 1}))
	}
	return img, nil
}

// stageAt is the composition at frame n.
func (r *Renderer) stageAt(n int) stage {
	return stage{comp: r.scene.Root, t: FrameTime(r.comp.Comp, n), fresh: true, m: geom.Scale(r.opt.Scale, r.opt.Scale)}
}
