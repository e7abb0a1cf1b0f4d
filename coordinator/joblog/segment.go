package joblog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"overcrank/coordinator/files"
	"overcrank/interval"
)

const (
	// segmentSize is the size in bytes at which the next segment begins, so that what is stored again each time stays small.
	segmentSize = 256 << 10
	// storeAfter is how long a line may be on this machine only.
	storeAfter = 10 * time.Second
	// storeEvery is how often segments are checked for lines to store.
	storeEvery  = time.Second
	storeAtOnce = 8
	// quietFor is how long a stored segment is kept open for more lines.
	quietFor = time.Hour
)

// segment is a part of a log as it is on this machine. It is guarded by the lock of its job.
type segment struct {
	key    string
	size   int64 // bytes in the local file
	stored int64 // of these, those in shared storage
}

// growing is what of a job's log is on this machine. It is guarded by the lock of its job, and by Logs.mu where noted.
type growing struct {
	segment           // the one that lines are added to
	full    []segment // those before it that are not stored whole, in their order
	total   int64     // bytes of all segments of the job since this coordinator began to write it
	since   time.Time // time of the first line that is not stored, zero when all are; guarded by Logs.mu
	last    time.Time // time of the last line; guarded by Logs.mu
}

// next has the lines to come begin another segment. The one before is deleted here once it is stored whole.
func (g *growing) next(key string) {
	g.full = append(g.full, g.segment)
	g.segment = segment{key: key}
}

// find is the one of a key, nil for none.
func (g *growing) find(key string) *segment {
	if g.key == key {
		return &g.segment
	}
	for i := range g.full {
		if g.full[i].key == key {
			return &g.full[i]
		}
	}
	return nil
}

// segments are all of them that have lines, in their order.
func (g *growing) segments() (list []segment) {
	list = slices.Clone(g.full)
	if g.size > 0 {
		list = append(list, g.segment)
	}
	return list
}

// begun is the time at which a segment was begun, from its key.
func begun(key string) time.Time {
	name := strings.Split(path.Base(key), "-")
	if len(name) < 3 {
		return time.Time{}
	}
	micros, err := strconv.ParseInt(name[1], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(micros)
}

func (l *Logs) newKey(job string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latest = max(l.latest+1, time.Now().UnixMicro())
	return fmt.Sprintf("%s/%016x-%016x-%s", segments(job), l.cfg.Order(), l.latest, files.Part(l.cfg.Node))
}

// growing is what of a job's log is on this machine, nil for nothing.
func (l *Logs) growing(job string) *growing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.grows[job]
}

// grow appends lines to a job's growing segment. It is called with the lock of the job.
func (l *Logs) grow(job string, lines []byte) error {
	g := l.growing(job)
	if g == nil {
		g = &growing{segment: segment{key: l.newKey(job)}}
	}
	if g.total > Most {
		return nil
	}
	if g.size >= segmentSize {
		g.next(l.newKey(job))
	}
	size, err := l.cfg.Local.Append(g.key, lines)
	if err != nil {
		return err
	}
	g.size, g.total = size, g.total+int64(len(lines))
	l.mu.Lock()
	defer l.mu.Unlock()
	g.last = time.Now()
	if g.since.IsZero() {
		g.since = g.last
	}
	l.grows[job] = g
	return nil
}

// Store stores a job's lines that are on this machine only.
func (l *Logs) Store(ctx context.Context, job string) error {
	done, err := l.lock(job).turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	return l.store(ctx, job)
}

// store stores the lines that there are when it is called. It is called in the caller's turn, as all that follow.
func (l *Logs) store(ctx context.Context, job string) error {
	began := time.Now()
	for _, s := range l.toStore(job) {
		if s.stored < s.size {
			if err := l.send(ctx, job, s.key, s.size); err != nil {
				return err
			}
		}
		if err := l.hasStored(ctx, job, s); err != nil {
			return err
		}
	}
	all := len(l.toStore(job)) == 0
	l.mu.Lock()
	defer l.mu.Unlock()
	if g := l.grows[job]; g != nil {
		if g.since = began; all {
			g.since = time.Time{}
		}
	}
	return nil
}

// toStore are the segments of a job that have lines on this machine only, or get no more of them.
func (l *Logs) toStore(job string) []segment {
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	g := l.growing(job)
	if g == nil {
		return nil
	}
	return slices.DeleteFunc(g.segments(), func(s segment) bool { return s.key == g.key && s.stored == s.size })
}

// hasStored notes that a segment was stored as it is given here, and deletes it from this machine when it gets no more lines.
func (l *Logs) hasStored(ctx context.Context, job string, s segment) error {
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	g := l.growing(job)
	if g.key == s.key && g.size >= segmentSize {
		g.next(l.newKey(job))
	}
	now := g.find(s.key)
	if now.stored = s.size; now.size > s.size || g.key == s.key {
		return nil
	}
	l.forget(job) // before the file is gone: a reader who misses that looks at what is stored
	if err := l.cfg.Local.Delete(ctx, s.key); err != nil {
		return err
	}
	g.full = slices.DeleteFunc(g.full, func(f segment) bool { return f.key == s.key })
	return nil
}

// send stores the first bytes of a segment's local file, unless its lines are no longer wanted.
func (l *Logs) send(ctx context.Context, job, key string, size int64) error {
	wanted, err := l.cfg.Wanted(job, begun(key))
	if err != nil || !wanted {
		return err
	}
	r, err := l.cfg.Local.Open(ctx, key)
	if err != nil {
		return err
	}
	_, err = l.cfg.Shared.Put(ctx, key, io.LimitReader(r, size), files.Limits{Size: size})
	return errors.Join(err, r.Close())
}

// finish stores all of a job's lines and ends its segments. The next line begins another one.
func (l *Logs) finish(ctx context.Context, job string) error {
	l.endSegment(job)
	if err := l.store(ctx, job); err != nil {
		return err
	}
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	if g := l.growing(job); g == nil || len(g.segments()) > 0 { // a line came meanwhile
		return nil
	}
	return l.abandonLocked(ctx, job)
}

// endSegment has the next line of a job begin another segment.
func (l *Logs) endSegment(job string) {
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	if g := l.growing(job); g != nil && g.size > 0 {
		g.next(l.newKey(job))
	}
}

// abandon forgets a job's growing segments and deletes their local files.
func (l *Logs) abandon(ctx context.Context, job string) error {
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	return l.abandonLocked(ctx, job)
}

func (l *Logs) abandonLocked(ctx context.Context, job string) error {
	l.mu.Lock()
	delete(l.grows, job)
	l.mu.Unlock()
	return l.cfg.Local.DeleteBelow(ctx, segments(job))
}

// Run stores growing segments until ctx ends, and then once more. It starts with what an earlier process left on this machine.
func (l *Logs) Run(ctx context.Context) {
	if l.cfg.Shared == nil {
		return
	}
	left := true
	tick := time.NewTicker(storeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeAfter)
			defer cancel()
			l.storeDue(last, time.Now().Add(storeAfter))
			return
		case <-tick.C:
		}
		if left {
			err := l.storeLeft(ctx)
			if left = err != nil; left && ctx.Err() == nil {
				l.cfg.Logger.Warn("storing logs that an earlier run left on this machine", "error", err)
				_ = interval.Wait(ctx, storeAfter)
			}
		}
		l.storeDue(ctx, time.Now())
	}
}

// storeDue stores segments that have waited long enough, and closes quiet ones.
func (l *Logs) storeDue(ctx context.Context, now time.Time) {
	var due, quiet []string
	l.mu.Lock()
	for job, s := range l.grows {
		switch {
		case !s.since.IsZero() && now.Sub(s.since) >= storeAfter:
			due = append(due, job)
		case s.since.IsZero() && now.Sub(s.last) >= quietFor:
			quiet = append(quiet, job)
		}
	}
	for job, list := range l.known {
		if now.Sub(list.at) > listingLife {
			delete(l.known, job)
		}
	}
	l.mu.Unlock()
	var group errgroup.Group
	group.SetLimit(storeAtOnce)
	var mu sync.Mutex
	var failed error
	for _, job := range due {
		group.Go(func() error {
			if err := l.Store(ctx, job); err != nil {
				l.later(job)
				mu.Lock()
				defer mu.Unlock()
				failed = fmt.Errorf("job %s: %w", job, err)
			}
			return nil
		})
	}
	_ = group.Wait() // failures are logged below and tried again
	if failed != nil && ctx.Err() == nil {
		l.cfg.Logger.Warn("storing jobs' logs; they are on this machine until it succeeds", "logs", len(due), "error", failed)
	}
	for _, job := range quiet {
		l.close(ctx, job)
	}
}

// later delays the next try by storeAfter.
func (l *Logs) later(job string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.grows[job]; s != nil {
		s.since = time.Now()
	}
}

func (l *Logs) close(ctx context.Context, job string) {
	done, err := l.lock(job).turn(ctx)
	if err != nil {
		return
	}
	defer done()
	if err := l.finish(ctx, job); err != nil {
		l.cfg.Logger.Warn("closing a job's log", "job", job, "error", err)
	}
}

// storeLeft stores segments of earlier processes that are on this machine.
func (l *Logs) storeLeft(ctx context.Context) error {
	var left []string
	err := l.cfg.Local.Walk(ctx, "logs", func(o files.Object) error {
		left = append(left, o.Key)
		return nil
	})
	for _, key := range left {
		err = errors.Join(err, l.storeOneLeft(ctx, key))
	}
	return err
}

func (l *Logs) storeOneLeft(ctx context.Context, key string) error {
	job := path.Base(path.Dir(key))
	done, err := l.lock(job).turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	size, err := l.leftOf(ctx, job, key)
	if err != nil || size < 0 {
		return err
	}
	if err := l.send(ctx, job, key, size); err != nil && !errors.Is(err, files.ErrNotFound) {
		return err
	}
	return l.cfg.Local.Delete(ctx, key)
}

// leftOf is the size of a file that an earlier process left, below 0 when there is nothing to store. It deletes folders that are left.
func (l *Logs) leftOf(ctx context.Context, job, key string) (size int64, err error) {
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	g := l.growing(job)
	if folder, is := strings.CutSuffix(key, "/"); is {
		if g == nil {
			err = l.cfg.Local.DeleteBelow(ctx, folder)
		}
		return -1, err
	}
	if g != nil && g.find(key) != nil {
		return -1, nil
	}
	o, err := l.cfg.Local.Stat(ctx, key)
	if errors.Is(err, files.ErrNotFound) {
		return -1, nil
	}
	return o.Size, err
}

var errMoved = errors.New("the log was changed while it was read")

// tail reads what is not stored of a segment.
func (l *Logs) tail(ctx context.Context, s segment) ([]byte, error) {
	r, err := l.cfg.Local.Open(ctx, s.key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if _, err := r.Seek(s.stored, io.SeekStart); err != nil {
		return nil, err
	}
	text := make([]byte, s.size-s.stored)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, fmt.Errorf("reading %s: %w", s.key, err)
	}
	return text, nil
}
