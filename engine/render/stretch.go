package render

import (
	"context"
	"sync"
	"sync/atomic"

	"overcrank/engine/digest"
)

// Stretch is the address of the frames first..last together, as a recipe makes something of them, such as their film. known is false when frames are not
// shared, or one of these has no address.
func (r *Renderer) Stretch(ctx context.Context, recipe string, first, last int) (at digest.Sum, known bool, err error) {
	if r.origins == nil || r.marred.Load() {
		return at, false, nil
	}
	r.warnAll() // nobody may draw
	looks := make([]Look, last-first+1)
	var (
		next    atomic.Int64
		unknown atomic.Bool
		fault   error
		once    sync.Once
		workers sync.WaitGroup
	)
	for range min(r.opt.Workers, len(looks)) {
		w := r.worker(ctx)
		workers.Go(func() {
			defer w.rescue(func(f *Fault) { once.Do(func() { fault = f }) })
			for !unknown.Load() && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(looks) {
					return
				}
				w.turnTo(first + i)
				f := r.looks.of(w, first+i)
				looks[i] = f.look
				if !f.known {
					unknown.Store(true)
				}
			}
		})
	}
	workers.Wait()
	switch {
	case fault != nil:
		return at, false, fault
	case ctx.Err() != nil:
		return at, false, ctx.Err()
	case unknown.Load() || r.marred.Load():
		return at, false, nil
	}
	return digest.Of("stretch", recipe, looks), true, nil
}

// Whole tells whether everything was drawn as the project has it, so that others may use it.
func (r *Renderer) Whole() bool { return !r.marred.Load() }
