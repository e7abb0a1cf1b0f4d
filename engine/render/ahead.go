package render

import (
	"context"
	"image"
	"sync"
	"sync/atomic"
)

const (
	// maxHelpers is how many workers help the one that draws a frame alone, at most. Each has an expression machine of its own.
	maxHelpers = 7
	// aheadOf is how many pictures for each helper may wait to be laid over the others: they take memory.
	aheadOf = 2
)

// helpers are workers that draw what layers show, ahead of the one that draws a frame alone and lays one layer over the other.
type helpers []*worker

// alone draws one frame with all processors, and passes it to emit.
func (r *Renderer) alone(ctx context.Context, n int, emit func(n int, d drawn) error) error {
	r.warnAll()
	w := r.worker(ctx)
	w.helpers = make(helpers, min(r.opt.Workers-1, maxHelpers))
	f := frame{n, none, make(chan drawn, 1)}
	f.done <- w.safely(n, none)
	order := make(chan frame, 1)
	order <- f
	close(order)
	return r.deliver(ctx, nil, order, emit)
}

// content is what one layer shows, drawn ahead of its turn.
type content struct {
	direct bool    // pic is what the layer is made of, and not yet all of the layer
	pic    picture // without an image where it shows nothing
}

func (c *content) picture() picture {
	if c == nil {
		return picture{}
	}
	return c.pic
}

func (c *content) release() {
	if c != nil && c.pic.release != nil {
		c.pic.release()
	}
}

// errand is the drawing of what one layer shows. Whoever comes first runs it: a helper, or the worker that needs it.
type errand struct {
	view  view
	begun atomic.Bool
	done  chan struct{} // closed when a helper has run it
	got   *content
	err   error
	// waiting holds a token for each errand that a helper has begun, until it is fetched.
	waiting chan struct{}
	fetched bool
}

// fetch is what the layer shows if a helper drew it or is drawing it; nil when none has begun. It gives it once.
func (e *errand) fetch() (*content, error) {
	if e == nil || e.fetched {
		return nil, nil
	}
	e.fetched = true
	if e.begun.CompareAndSwap(false, true) {
		return nil, nil
	}
	<-e.done
	<-e.waiting
	return e.got, e.err
}

// skip drops what was not fetched.
func (e *errand) skip() {
	got, _ := e.fetch()
	got.release()
}

// sendOut has helpers draw the layers of a composition, which are laid over clip one by one, until end is called.
func (w *worker) sendOut(clip image.Rectangle, shown []shownLayer) (end func()) {
	errands := w.errands(shown)
	if len(errands) < 2 {
		return func() {}
	}
	team := w.helpers
	w.helpers = nil // they are busy while compositions within this one are drawn
	ended := make(chan struct{})
	var next atomic.Int64
	var working sync.WaitGroup
	for i := range team {
		working.Go(func() {
			if team[i] == nil {
				team[i] = w.r.worker(w.ctx)
				team[i].turnTo(w.n)
			}
			team[i].runAll(errands, &next, clip, ended)
		})
	}
	return func() {
		close(ended)
		working.Wait()
		for _, e := range errands {
			e.skip()
		}
		w.helpers = team
	}
}

// errands are those of the layers whose pictures do not depend on what lies below them. They are noted in shown.
func (w *worker) errands(shown []shownLayer) (out []*errand) {
	if len(w.helpers) == 0 || w.elsewhen > 0 {
		return nil
	}
	waiting := make(chan struct{}, aheadOf*len(w.helpers))
	for i := range shown {
		l := &shown[i]
		if l.hidden || l.among != nil || l.layer.Adjustment || l.layer.Styles != nil {
			continue
		}
		l.errand = &errand{view: l.view, done: make(chan struct{}), waiting: waiting}
		out = append(out, l.errand)
	}
	return out
}

// runAll runs errands that nobody has begun, from next on, until the composition is drawn.
func (w *worker) runAll(errands []*errand, next *atomic.Int64, clip image.Rectangle, ended <-chan struct{}) {
	for {
		i := int(next.Add(1)) - 1
		if i >= len(errands) {
			return
		}
		e := errands[i]
		select {
		case e.waiting <- struct{}{}:
		case <-ended:
			return
		}
		if !e.begun.CompareAndSwap(false, true) {
			<-e.waiting
			continue
		}
		w.run(e, clip)
	}
}

// run draws what a layer shows. A panic becomes a *Fault.
func (w *worker) run(e *errand, clip image.Rectangle) {
	defer close(e.done)
	defer w.rescue(func(f *Fault) { e.err = f })
	e.got, e.err = w.content(e.view, clip)
}

func (w *worker) content(v view, clip image.Rectangle) (*content, error) {
	l := &shownLayer{view: v}
	w.at = v.layer
	opacity := w.opacity(v)
	if opacity <= 0 {
		return nil, w.ctx.Err()
	}
	if err := w.ready(l); l.d == nil || err != nil {
		return nil, err
	}
	masks, x := w.masks(v), l.exposure(w)
	if !w.direct(l, opacity, x, masks) {
		pic, err := w.seen(clip, v, l.d, x, masks)
		return &content{pic: pic}, err
	}
	if l.d.source == nil {
		return nil, nil
	}
	pic, err := l.d.source(clip)
	return &content{direct: true, pic: pic}, err
}

// ahead is what a helper drew of the layer; nil when the worker has to draw it.
func (l *shownLayer) ahead(direct bool) (*content, error) {
	got, err := l.errand.fetch()
	if got != nil && got.direct != direct {
		got.release()
		got = nil
	}
	return got, err
}
