package render

import (
	"context"
	"fmt"
	"sync"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

type frame struct {
	n    int
	done chan drawn
}

type drawn struct {
	img *raster.Image
	err error
}

// Frames draws frames first..last in steps (0-based), several at a time, and hands them to emit in order. The image
// is emit's until it returns.
func (r *Renderer) Frames(ctx context.Context, first, last, step int, emit func(n int, img *raster.Image) error) error {
	if step < 1 {
		return fmt.Errorf("frames can't be drawn in steps of %d", step)
	}
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()

	// The queue's room bounds how many finished frames wait for emit.
	count := r.opt.Workers
	work := make(chan frame)
	order := make(chan frame, count+1)
	workers.Go(func() {
		defer close(work)
		defer close(order)
		for n := first; n <= last; n += step {
			f := frame{n, make(chan drawn, 1)}
			select {
			case order <- f:
			case <-ctx.Done():
				return
			}
			select {
			case work <- f:
			case <-ctx.Done():
				return
			}
		}
	})
	for range count {
		w := r.worker(ctx)
		workers.Go(func() {
			for f := range work {
				img, err := w.frame(f.n)
				f.done <- drawn{img, err}
			}
		})
	}
	for f := range order {
		var d drawn
		select {
		case d = <-f.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if d.err != nil {
			return fmt.Errorf("drawing frame %d of composition %q: %w", f.n, r.comp.Name, d.err)
		}
		err := emit(f.n, d.img)
		r.surfaces.put(d.img)
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// worker draws one frame at a time.
type worker struct {
	ctx  context.Context
	r    *Renderer
	eval *eval.Evaluator
	pen  raster.Rasterizer
}

func (r *Renderer) worker(ctx context.Context) *worker {
	w := &worker{ctx: ctx, r: r, eval: &eval.Evaluator{Project: r.project, OnError: r.failed}}
	if r.opt.Expressions != nil {
		w.eval.Expressions = r.opt.Expressions(w.eval)
	}
	return w
}

func (w *worker) frame(n int) (*raster.Image, error) {
	r := w.r
	w.eval.BeginFrame()
	img := r.surfaces.get(frameRect(r.width, r.height))
	if r.opt.Background {
		bg := r.comp.Comp.Background
		raster.FillRect(img, img.Rect, raster.Premultiply([4]float64{bg[0], bg[1], bg[2], 1}))
	}
	s := scene{comp: r.comp, t: FrameTime(r.comp.Comp, n), fresh: true, m: geom.Scale(r.opt.Scale, r.opt.Scale)}
	return img, w.composition(img, s)
}
