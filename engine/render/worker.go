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
)

// worker draws one frame at a time.
type worker struct {
	ctx  context.Context
	r    *Renderer
	eval *eval.Evaluator
	pen  raster.Rasterizer
	at   place // layer being drawn
	n    int   // frame being drawn
}

// switchable evaluates expressions except the disabled ones: an endless expression would cost its time limit for each
// value.
type switchable struct {
	of  eval.Expressions
	off *sync.Map // *aep.Property to struct{}
}

// Evaluate implements eval.Expressions.
func (s *switchable) Evaluate(ref eval.Ref, before aep.Value, t float64) (aep.Value, error) {
	if _, off := s.off.Load(ref.Prop); off {
		return before, nil
	}
	return s.of.Evaluate(ref, before, t)
}

// place is a layer of a composition.
type place struct {
	comp  *aep.Item
	layer *aep.Layer
}

func (r *Renderer) worker(ctx context.Context) *worker {
	w := &worker{ctx: ctx, r: r, eval: &eval.Evaluator{Project: r.project, OnError: r.failed}}
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

// safely draws a frame; a panic becomes a *Fault.
func (w *worker) safely(n int) (img *raster.Image, err error) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		f := &Fault{Cause: cause, Stack: debug.Stack()}
		if w.at.layer != nil {
			f.Layer = w.r.about(w.at.comp, w.at.layer)
		}
		img, err = nil, f
	}()
	return w.frame(n)
}

func (w *worker) frame(n int) (*raster.Image, error) {
	r := w.r
	w.eval.BeginFrame()
	w.n = n
	r.sources.rest(n)
	r.cache.rest(n)
	img := r.surfaces.get(frameRect(r.width, r.height))
	if r.opt.Background {
		bg := r.comp.Comp.Background
		raster.FillRect(img, img.Rect, raster.Premultiply([4]float64{bg[0], bg[1], bg[2], 1}))
	}
	s := scene{comp: r.comp, t: FrameTime(r.comp.Comp, n), fresh: true, m: geom.Scale(r.opt.Scale, r.opt.Scale)}
	return img, w.composition(img, s)
}
