package joblog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
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

// segment is the growing segment of a job. It is guarded by the lock of its job, and by Logs.mu where noted.
type segment struct {
	key    string
	size   int64     // bytes in the local file
	stored int64     // of these, those in shared storage
	total  int64     // bytes of all segments of the job since this coordinator began to write it
	since  time.Time // time of the first line that is not stored, zero when all are; guarded by Logs.mu
	last   time.Time // time of the last line; guarded by Logs.mu
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

// grow appends lines to a job's growing segment.
func (l *Logs) grow(job string, lines []byte) error {
	l.mu.Lock()
	s := l.grows[job]
	l.mu.Unlock()
	if s == nil {
		s = &segment{key: l.newKey(job)}
	}
	if s.total > Most {
		return nil
	}
	size, err := l.cfg.Local.Append(s.key, lines)
	if err != nil {
		return err
	}
	s.size, s.total = size, s.total+int64(len(lines))
	l.mu.Lock()
	defer l.mu.Unlock()
	s.last = time.Now()
	if s.since.IsZero() {
		s.since = s.last
	}
	l.grows[job] = s
	return nil
}

// Store stores a job's lines that are on this machine only.
func (l *Logs) Store(ctx context.Context, job string) error {
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	l.mu.Lock()
	s := l.grows[job]
	l.mu.Unlock()
	if s == nil {
		return nil
	}
	return l.store(ctx, job, s)
}

// store stores a segment as it is, and ends it when it has become large.
func (l *Logs) store(ctx context.Context, job string, s *segment) error {
	if s.stored < s.size {
		if err := l.send(ctx, job, s.key); err != nil {
			return err
		}
		s.stored = s.size
	}
	l.mu.Lock()
	s.since = time.Time{}
	l.mu.Unlock()
	if s.size < segmentSize {
		return nil
	}
	if err := l.cfg.Local.Delete(ctx, s.key); err != nil {
		return err
	}
	s.key, s.size, s.stored = l.newKey(job), 0, 0
	l.forget(job)
	return nil
}

// send stores the local file of a segment, unless its lines are no longer wanted.
func (l *Logs) send(ctx context.Context, job, key string) error {
	wanted, err := l.cfg.Wanted(job, begun(key))
	if err != nil || !wanted {
		return err
	}
	r, err := l.cfg.Local.Open(ctx, key)
	if err != nil {
		return err
	}
	_, err = l.cfg.Shared.Put(ctx, key, r, files.Limits{Size: r.Size})
	return errors.Join(err, r.Close())
}

// finish stores a job's growing segment and ends it. The next line begins another one.
func (l *Logs) finish(ctx context.Context, job string) error {
	l.mu.Lock()
	s := l.grows[job]
	l.mu.Unlock()
	if s == nil {
		return nil
	}
	if err := l.store(ctx, job, s); err != nil {
		return err
	}
	return l.abandon(ctx, job)
}

// abandon forgets a job's growing segment and deletes its local file.
func (l *Logs) abandon(ctx context.Context, job string) error {
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
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
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
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	l.mu.Lock()
	s := l.grows[job]
	l.mu.Unlock()
	if s != nil && s.key == key {
		return nil
	}
	if strings.HasSuffix(key, "/") {
		return l.cfg.Local.DeleteBelow(ctx, strings.TrimSuffix(key, "/"))
	}
	if err := l.send(ctx, job, key); err != nil && !errors.Is(err, files.ErrNotFound) {
		return err
	}
	return l.cfg.Local.Delete(ctx, key)
}

var errMoved = errors.New("the log was changed while it was read")

// tail reads what is not stored of a growing segment.
func (l *Logs) tail(ctx context.Context, s *segment) ([]byte, error) {
	r, err := l.cfg.Local.Open(ctx, s.key)
	if errors.Is(err, files.ErrNotFound) && s.size == 0 {
		return nil, nil
	}
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
