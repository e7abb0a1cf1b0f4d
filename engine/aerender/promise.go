package aerender

import (
	"context"
	"runtime/debug"

	"overcrank/engine/render"
)

// promise is a result that a goroutine of its own works out. A panic there becomes a *render.Fault.
type promise[T any] struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the result is there
	value  T
	err    error
}

// promised has work begun. drop must be called.
func promised[T any](ctx context.Context, work func(context.Context) (T, error)) *promise[T] {
	ctx, cancel := context.WithCancel(ctx)
	p := &promise[T]{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		defer func() {
			if r := recover(); r != nil {
				p.err = &render.Fault{Cause: r, Stack: debug.Stack()}
			}
		}()
		p.value, p.err = work(ctx)
	}()
	return p
}

// wait waits for the result, or for the end of ctx.
func (p *promise[T]) wait(ctx context.Context) (value T, err error) {
	select {
	case <-p.done:
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
	return p.value, p.err
}

// drop ends the work, unless it is done, and waits until it has ended.
func (p *promise[T]) drop() {
	p.cancel()
	<-p.done
}
