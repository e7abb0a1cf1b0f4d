package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// movingWithin is how long a call may take that moves bytes, or goes through a listing, without a sign of either: bringing a large
	// file to the disk of a file server takes its time.
	movingWithin = 10 * time.Minute
	// mostHung is how many calls may be on their way in storage that nobody waits for any more. Each of them holds a thread of this
	// process.
	mostHung = 64
	// hungAtClose is how long Close waits for them.
	hungAtClose = 2 * time.Second
)

// Patient is a Shared store whose calls come back when their context ends, and after askWithin at most where no file is moved, whatever
// the storage behind it does. A file server that is gone holds the thread of whoever asks it, for as long as it likes, and no context
// reaches there: such a call goes on in a goroutine of its own, in which nobody takes any more interest.
type Patient struct {
	Shared
	within time.Duration

	calls sync.WaitGroup
	hung  atomic.Int64
}

// NewPatient makes a store patient, which it closes.
func NewPatient(s Shared) *Patient { return &Patient{Shared: s, within: askWithin} }

// Hung is how many calls are on their way whose callers have given up. Where there are too many of them, no other call is begun.
func (p *Patient) Hung() int { return int(p.hung.Load()) }

func (p *Patient) silent(cause error) error {
	if errors.Is(cause, context.Canceled) {
		return fmt.Errorf("asking %s: %w", p.Where(), cause)
	}
	return unreachable(p.Where(), "it does not answer; look at the file server and the mount", cause)
}

// call is one call on its way.
type call struct {
	mu    sync.Mutex // held while the caller's own reader or function is used
	came  bool       // the caller has its answer
	over  bool       // the caller has gone, and what it gave may not be used any more
	signs int64      // how often the caller's reader or function was used
}

// errGivenUp is what a call gets of its caller's reader or function once that has gone.
var errGivenUp = errors.New("the caller has given up")

// using runs something of the caller's, unless that has gone.
func (c *call) using(do func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return errGivenUp
	}
	c.signs++
	return do()
}

// progress is how often the call has used what its caller gave; busy says that it does just now.
func (c *call) progress() (signs int64, busy bool) {
	if !c.mu.TryLock() {
		return 0, true
	}
	defer c.mu.Unlock()
	return c.signs, false
}

// deliver hands the answer over; false when nobody waits for it any more.
func (c *call) deliver(hand func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.came = true
	hand()
	return true
}

// giveUp leaves the call to itself; false when its answer has come.
func (c *call) giveUp(p *Patient) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.came {
		return false
	}
	c.over = true
	p.hung.Add(1)
	return true
}

// answer is what a call comes to.
type answer[T any] struct {
	value T
	err   error
}

// ask waits for a call until ctx ends, or nothing has been seen of it for as long as within. late is given what comes after that; nil
// for nothing that has to be closed.
func ask[T any](ctx context.Context, p *Patient, within time.Duration, do func(*call) (T, error), late func(T)) (none T, _ error) {
	if err := ctx.Err(); err != nil {
		return none, p.silent(err)
	}
	if p.Hung() >= mostHung {
		return none, unreachable(p.Where(), fmt.Sprintf("%d calls to it have not come back; look at the file server and the mount, and restart this coordinator if they stay", mostHung), errGivenUp)
	}
	c, done := &call{}, make(chan answer[T], 1)
	p.calls.Go(func() {
		value, err := do(c)
		if c.deliver(func() { done <- answer[T]{value, err} }) {
			return
		}
		p.hung.Add(-1)
		if late != nil && err == nil {
			late(value)
		}
	})
	tick := time.NewTicker(within)
	defer tick.Stop()
	for seen := int64(0); ; {
		cause := context.DeadlineExceeded
		select {
		case a := <-done:
			return a.value, a.err
		case <-ctx.Done():
			cause = ctx.Err()
		case <-tick.C:
			if now, busy := c.progress(); busy || now != seen {
				seen = now
				continue
			}
		}
		if c.giveUp(p) {
			return none, p.silent(cause)
		}
		a := <-done // it came in the same moment
		return a.value, a.err
	}
}

// do is ask for a call that gives nothing but an error.
func (p *Patient) do(ctx context.Context, within time.Duration, do func(*call) error) error {
	_, err := ask(ctx, p, within, func(c *call) (struct{}, error) { return struct{}{}, do(c) }, nil)
	return err
}

// lent is a caller's reader, as long as the caller is there.
type lent struct {
	c *call
	r io.Reader
}

// Read implements io.Reader.
func (l lent) Read(b []byte) (n int, err error) {
	if given := l.c.using(func() error { n, err = l.r.Read(b); return nil }); given != nil {
		return 0, given
	}
	return n, err
}

// Put implements Store.
func (p *Patient) Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error) {
	return ask(ctx, p, movingWithin, func(c *call) (Object, error) { return p.Shared.Put(ctx, key, lent{c, r}, lim) }, nil)
}

// PutBlob implements Store.
func (p *Patient) PutBlob(ctx context.Context, r io.Reader, lim Limits) (Object, error) {
	return ask(ctx, p, movingWithin, func(c *call) (Object, error) { return p.Shared.PutBlob(ctx, lent{c, r}, lim) }, nil)
}

// Open implements Store. What the reader reads is waited for as the opening is.
func (p *Patient) Open(ctx context.Context, key string) (*Reader, error) {
	r, err := ask(ctx, p, p.within, func(*call) (*Reader, error) { return p.Shared.Open(ctx, key) }, closeLate)
	if err != nil {
		return nil, err
	}
	reading, cut := context.WithCancel(context.Background())
	return &Reader{ReadSeekCloser: &patientReader{p: p, r: r, ctx: reading, cut: cut}, Object: r.Object, Near: r.Near, cut: cut}, nil
}

func closeLate(r *Reader) { _ = r.Close() } // it was opened to be read, by somebody who has gone

// patientReader reads a file beside its caller.
type patientReader struct {
	p    *Patient
	r    *Reader
	ctx  context.Context
	cut  context.CancelFunc
	buf  []byte
	lost error // a call did not come back: the file is its own now
}

const patientBuffer = 256 << 10

// Read implements io.Reader.
func (r *patientReader) Read(b []byte) (int, error) {
	if r.lost != nil || len(b) == 0 {
		return 0, r.lost
	}
	if r.buf == nil {
		r.buf = make([]byte, min(patientBuffer, max(r.r.Size, 1)))
	}
	into := r.buf[:min(len(b), len(r.buf))]
	type read struct {
		n   int
		err error
	}
	got, err := ask(r.ctx, r.p, r.p.within, func(*call) (read, error) {
		n, err := r.r.Read(into)
		return read{n, err}, nil
	}, func(read) { closeLate(r.r) })
	if err != nil {
		r.lost = err
		return 0, err
	}
	return copy(b, into[:got.n]), got.err
}

// Seek implements io.Seeker. It moves no more than a number.
func (r *patientReader) Seek(offset int64, whence int) (int64, error) {
	if r.lost != nil {
		return 0, r.lost
	}
	return r.r.Seek(offset, whence)
}

// Close implements io.Closer.
func (r *patientReader) Close() error {
	r.cut()
	if r.lost != nil {
		return nil // whoever reads it still closes it
	}
	return r.r.Close()
}

// Stat implements Store.
func (p *Patient) Stat(ctx context.Context, key string) (Object, error) {
	return ask(ctx, p, p.within, func(*call) (Object, error) { return p.Shared.Stat(ctx, key) }, nil)
}

// Rename implements Store.
func (p *Patient) Rename(ctx context.Context, from, to string) error {
	return p.do(ctx, p.within, func(*call) error { return p.Shared.Rename(ctx, from, to) })
}

// Delete implements Store.
func (p *Patient) Delete(ctx context.Context, key string) error {
	return p.do(ctx, p.within, func(*call) error { return p.Shared.Delete(ctx, key) })
}

// DeleteBelow implements Store.
func (p *Patient) DeleteBelow(ctx context.Context, key string) error {
	return p.do(ctx, movingWithin, func(*call) error { return p.Shared.DeleteBelow(ctx, key) })
}

// DeleteIf implements Store.
func (p *Patient) DeleteIf(ctx context.Context, key string, before time.Time, keep func() (bool, error)) error {
	return p.do(ctx, movingWithin, func(c *call) error {
		return p.Shared.DeleteIf(ctx, key, before, func() (keeps bool, err error) {
			given := c.using(func() error { keeps, err = keep(); return nil })
			return keeps || given != nil, errors.Join(given, err)
		})
	})
}

// List implements Store.
func (p *Patient) List(ctx context.Context, key string, fn func(Object) error) error {
	return p.do(ctx, p.within, func(c *call) error {
		return p.Shared.List(ctx, key, func(o Object) error { return c.using(func() error { return fn(o) }) })
	})
}

// Walk implements Store.
func (p *Patient) Walk(ctx context.Context, key string, fn func(Object) error) error {
	return p.do(ctx, p.within, func(c *call) error {
		return p.Shared.Walk(ctx, key, func(o Object) error { return c.using(func() error { return fn(o) }) })
	})
}

// Path implements Store.
func (p *Patient) Path(ctx context.Context, key string) (path string, done func(), err error) {
	type place struct {
		path string
		done func()
	}
	at, err := ask(ctx, p, movingWithin, func(*call) (place, error) {
		path, done, err := p.Shared.Path(ctx, key)
		return place{path, done}, err
	}, func(at place) { at.done() })
	return at.path, at.done, err
}

// Sweep implements Store.
func (p *Patient) Sweep(ctx context.Context) error {
	return p.do(ctx, movingWithin, func(*call) error { return p.Shared.Sweep(ctx) })
}

// Reach implements Shared.
func (p *Patient) Reach(ctx context.Context) error {
	return p.do(ctx, p.within, func(*call) error { return p.Shared.Reach(ctx) })
}

// PutNote implements Shared.
func (p *Patient) PutNote(ctx context.Context, name string, text []byte) error {
	return p.do(ctx, p.within, func(*call) error { return p.Shared.PutNote(ctx, name, text) })
}

// Note implements Shared.
func (p *Patient) Note(ctx context.Context, name string) ([]byte, error) {
	return ask(ctx, p, p.within, func(*call) ([]byte, error) { return p.Shared.Note(ctx, name) }, nil)
}

// DropNote implements Shared.
func (p *Patient) DropNote(ctx context.Context, name string) error {
	return p.do(ctx, p.within, func(*call) error { return p.Shared.DropNote(ctx, name) })
}

// Notes implements Shared.
func (p *Patient) Notes(ctx context.Context, folder string) ([]Object, error) {
	return ask(ctx, p, p.within, func(*call) ([]Object, error) { return p.Shared.Notes(ctx, folder) }, nil)
}

// Close implements Store. Calls that do not come back are left behind, and said to be.
func (p *Patient) Close() error {
	back := make(chan struct{})
	go func() {
		p.calls.Wait()
		close(back)
	}()
	late := time.NewTimer(hungAtClose)
	defer late.Stop()
	select {
	case <-back:
		return p.Shared.Close()
	case <-late.C:
		return fmt.Errorf("%w: %d calls to %s have not come back and are left behind", ErrUnreachable, p.Hung(), p.Where())
	}
}
