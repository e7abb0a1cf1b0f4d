package render

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"overcrank/engine/raster"
)

type frame struct {
	n      int
	before int // the frame that is drawn before it, or none
	done   chan drawn
}

// none is the number of no frame.
const none = -1

// drawn is a frame, or the news that it looks like the one before it.
type drawn struct {
	img    *raster.Image
	formed *FormedFrame // instead of img where a form is wanted
	same   bool
	kept   bool // it was not drawn, but found among the shared frames
	err    error
}

// Frames draws the frames first..last (from 0) in steps, several at a time, and passes them to emit in order. The image
// is valid until emit returns. A frame that looks like the one before it is not drawn again: emit gets the same image, and Repeated counts it.
// A panic while drawing becomes a *Fault.
func (r *Renderer) Frames(ctx context.Context, first, last, step int, emit func(n int, img *raster.Image) error) error {
	if step < 1 {
		return fmt.Errorf("frames can't be drawn in steps of %d", step)
	}
	if first+step > last && first <= last {
		return r.alone(ctx, first, func(n int, d drawn) error { return emit(n, d.img) })
	}
	return r.frames(ctx, nil, inSteps(first, last, step), func(n int, d drawn) error { return emit(n, d.img) })
}

// inSteps are the numbers of the frames first..last in steps.
func inSteps(first, last, step int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := first; n <= last && yield(n); n += step {
		}
	}
}

func (r *Renderer) frames(ctx context.Context, form *forming, numbers iter.Seq[int], emit func(n int, d drawn) error) error {
	r.warnAll()
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()

	// The capacity of the queue limits how many finished frames wait for emit.
	count := r.opt.Workers
	work := make(chan frame)
	order := make(chan frame, count+1)
	workers.Go(func() {
		defer close(work)
		defer close(order)
		before := none
		for n := range numbers {
			if !enqueue(ctx, order, work, frame{n, before, make(chan drawn, 1)}) {
				return
			}
			before = n
		}
	})
	for range count {
		w := r.worker(ctx)
		w.form = form
		workers.Go(func() {
			for f := range work {
				f.done <- w.safely(f.n, f.before)
			}
		})
	}
	return r.deliver(ctx, form, order, emit)
}

// Repeated is how many frames were not drawn, since they look like the one before them.
func (r *Renderer) Repeated() int { return int(r.repeated.Load()) }

// Reused is how many frames were not drawn, since another render had drawn them.
func (r *Renderer) Reused() int { return int(r.reused.Load()) }

// enqueue adds f to order first, and then to work; false when ctx has ended.
func enqueue(ctx context.Context, order, work chan<- frame, f frame) bool {
	for _, to := range []chan<- frame{order, work} {
		select {
		case to <- f:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// deliver passes the frames to emit in order.
func (r *Renderer) deliver(ctx context.Context, form *forming, order <-chan frame, emit func(n int, d drawn) error) error {
	var last drawn
	defer func() { r.release(last) }()
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
		if d.same {
			r.repeated.Add(1)
		} else {
			r.release(last)
			last = d
		}
		if d.kept {
			r.reused.Add(1)
		}
		if err := emit(f.n, last); err != nil {
			return err
		}
	}
	return ctx.Err()
}
