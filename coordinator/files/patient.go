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
	// transferTimeout is how long a call that transfers bytes or walks a listing may make no progress: a file server may take long to
	// flush a large file.
	transferTimeout = 10 * time.Minute
	// maxHung is how many abandoned calls may be outstanding. Each of them holds a thread of this process.
	maxHung = 64
	// closeTimeout is how long Close waits for abandoned calls.
	closeTimeout = 2 * time.Second
)

// Patient is a Shared store whose calls return when their context ends, and after requestTimeout where no file is transferred, whatever
// the storage does. A file server that is gone blocks the calling thread, and contexts do not help: such a call continues in a goroutine
// of its own, whose result nobody waits for.
type Patient struct {
	Shared
	within time.Duration

	calls sync.WaitGroup
	hung  atomic.Int64
}

// NewPatient wraps a store, and closes it.
func NewPatient(s Shared) *Patient { return &Patient{Shared: s, within: requestTimeout} }

// Hung is how many abandoned calls are outstanding. Where there are too many, new calls fail at once.
func (p *Patient) Hung() int { return int(p.hung.Load()) }

func (p *Patient) silent(cause error) error {
	if errors.Is(cause, context.Canceled) {
		return fmt.Errorf("asking %s: %w", p.Where(), cause)
	}
	return unreachable(p.Where(), "it does not answer; check the file server and the mount", cause)
}

// call is one call to the storage.
type call struct {
	mu    sync.Mutex // held while the caller's reader or callback runs
	came  bool       // the result was delivered
	over  bool       // the caller gave up: its reader or callback may not be used any more
	signs int64      // how often the caller's reader or callback was used
}

// errGivenUp is what the storage gets from the reader or callback of a caller that gave up.
var errGivenUp = errors.New("the caller has given up")

// using runs do, which uses the caller's reader or callback, unless the caller gave up.
func (c *call) using(do func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return errGivenUp
	}
	c.signs++
	return do()
}

// progress is how often the caller's reader or callback was used; busy says that it is in use now.
func (c *call) progress() (signs int64, busy bool) {
	if !c.mu.TryLock() {
		return 0, true
	}
	defer c.mu.Unlock()
	return c.signs, false
}

// deliver passes the result to the caller; false when the caller gave up.
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

// giveUp abandons the call; false when its result was delivered already.
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

// answer is the result of a call.
type answer[T any] struct {
	value T
	err   error
}

// ask runs a call and waits until it returns, ctx ends, or it makes no progress for as long as within. late receives a result that comes
// after that, to release it; nil where there is nothing to release.
func ask[T any](ctx context.Context, p *Patient, within time.Duration, do func(*call) (T, error), late func(T)) (none T, _ error) {
	if err := ctx.Err(); err != nil {
		return none, p.silent(err)
	}
	if p.Hung() >= maxHung {
		return none, unreachable(p.Where(), fmt.Sprintf("%d calls to it have not returned; check the file server and the mount, and restart this coordinator if the number does not fall", maxHung), errGivenUp)
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
		a := <-done // the result came just now
		return a.value, a.err
	}
}

// do is ask for a call without a result.
func (p *Patient) do(ctx context.Context, within time.Duration, do func(*call) error) error {
	_, err := ask(ctx, p, within, func(c *call) (struct{}, error) { return struct{}{}, do(c) }, nil)
	return err
}

// callerReader is the caller's reader; it fails once the caller gave up.
type callerReader struct {
	c *call
	r io.Reader
}

// Read implements io.Reader.
func (l callerReader) Read(b []byte) (n int, err error) {
	if given := l.c.using(func() error { n, err = l.r.Read(b); return nil }); given != nil {
		return 0, given
	}
	return n, err
}

// Put implements Store.
func (p *Patient) Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error) {
	return ask(ctx, p, transferTimeout, func(c *call) (Object, error) { return p.Shared.Put(ctx, key, callerReader{c, r}, lim) }, nil)
}

// PutBlob implements Store.
func (p *Patient) PutBlob(ctx context.Context, r io.Reader, lim Limits) (Object, error) {
	return ask(ctx, p, transferTimeout, func(c *call) (Object, error) { return p.Shared.PutBlob(ctx, callerReader{c, r}, lim) }, nil)
}

// Open implements Store. Each read is bounded like the opening.
func (p *Patient) Open(ctx context.Context, key string) (*Reader, error) {
	r, err := ask(ctx, p, p.within, func(*call) (*Reader, error) { return p.Shared.Open(ctx, key) }, closeLate)
	if err != nil {
		return nil, err
	}
	reading, cut := context.WithCancel(context.Background())
	return &Reader{ReadSeekCloser: &patientReader{p: p, r: r, ctx: reading, cut: cut}, Object: r.Object, Near: r.Near, cut: cut}, nil
}

func closeLate(r *Reader) { _ = r.Close() } // nothing was written, and the caller gave up

// patientReader bounds each read of a file.
type patientReader struct {
	p    *Patient
	r    *Reader
	ctx  context.Context
	cut  context.CancelFunc
	buf  []byte
	lost error // set when a read was abandoned: that call owns r from then on
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

// Seek implements io.Seeker. It asks nothing of the storage, so it cannot hang.
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
		return nil // the abandoned read closes it
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
	return p.do(ctx, transferTimeout, func(*call) error { return p.Shared.DeleteBelow(ctx, key) })
}

// DeleteIf implements Store.
func (p *Patient) DeleteIf(ctx context.Context, key string, before time.Time, keep func() (bool, error)) error {
	return p.do(ctx, transferTimeout, func(c *call) error {
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
	at, err := ask(ctx, p, transferTimeout, func(*call) (place, error) {
		path, done, err := p.Shared.Path(ctx, key)
		return place{path, done}, err
	}, func(at place) { at.done() })
	return at.path, at.done, err
}

// Sweep implements Store.
func (p *Patient) Sweep(ctx context.Context) error {
	return p.do(ctx, transferTimeout, func(*call) error { return p.Shared.Sweep(ctx) })
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

// Close implements Store. Its error counts the calls that are left behind.
func (p *Patient) Close() error {
	back := make(chan struct{})
	go func() {
		p.calls.Wait()
		close(back)
	}()
	late := time.NewTimer(closeTimeout)
	defer late.Stop()
	select {
	case <-back:
		return p.Shared.Close()
	case <-late.C:
		return fmt.Errorf("%w: %d calls to %s have not returned and are left behind", ErrUnreachable, p.Hung(), p.Where())
	}
}
