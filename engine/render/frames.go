package render

import (
	"context"
	"fmt"
	"sync"

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

// Frames draws the frames first..last (from 0) in steps, several at a time, and passes them to emit in order. The image
// is valid until emit returns. A panic while drawing becomes a *Fault.
func (r *Renderer) Frames(ctx context.Context, first, last, step int, emit func(n int, img *raster.Image) error) error {
	if step < 1 {
		return fmt.Errorf("frames can't be drawn in steps of %d", step)
	}
	r.warnWhole()
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
		for n := first; n <= last; n += step {
			if !enqueue(ctx, order, work, frame{n, make(chan drawn, 1)}) {
				return
			}
		}
	})
	for range count {
		w := r.worker(ctx)
		workers.Go(func() {
			for f := range work {
				img, err := w.safely(f.n)
				f.done <- drawn{img, err}
			}
		})
	}
	return r.deliver(ctx, order, emit)
}

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
func (r *Renderer) deliver(ctx context.Context, order <-chan frame, emit func(n int, img *raster.Image) error) error {
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
