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
	// segmentSize is when the next segment of a log is begun, in bytes: what is stored anew each time stays small.
	segmentSize = 256 << 10
	// storeAfter is how long a line is on this machine alone at most. It comes back with the machine, and is lost with its disk.
	storeAfter = 10 * time.Second
	// storeEvery is how often this is looked after.
	storeEvery  = time.Second
	storeAtOnce = 8
	// quietFor is how long a segment that is stored is kept open for more lines.
	quietFor = time.Hour
)

// segment is the one that grows. It is guarded by the lock of its job, and by Logs.mu where it says so.
type segment struct {
	key    string
	size   int64     // bytes in the local file
	stored int64     // of these, in shared storage
	total  int64     // of all segments of the job since this coordinator began to write it
	since  time.Time // when the first line came that is not stored; guarded by Logs.mu, zero when all are
	last   time.Time // when the last line came; guarded by Logs.mu
}

// begun tells from a segment's key when it was begun.
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

// grow adds lines to the segment of a job that grows.
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

// Store brings a job's lines to shared storage that are on this machine alone.
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

// store stores a segment as it is. One that has become large grows no more.
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

// send stores the local file of a segment, or drops what must not be stored any more.
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

// finish stores the segment of a job that grows and begins none: the next line does.
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

// abandon forgets the segment of a job that grows, with its local file.
func (l *Logs) abandon(ctx context.Context, job string) error {
	l.mu.Lock()
	delete(l.grows, job)
	l.mu.Unlock()
	return l.cfg.Local.DeleteBelow(ctx, segments(job))
}

// Run stores what grows until ctx ends, and then once more. It begins with what an earlier process left on this machine.
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
				l.cfg.Logger.Warn("storing what an earlier run left of jobs' logs", "error", err)
				_ = interval.Wait(ctx, storeAfter)
			}
		}
		l.storeDue(ctx, time.Now())
	}
}

// storeDue stores what has waited for long enough, and closes what has been quiet.
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
	_ = group.Wait() // what failed is told below, and tried again
	if failed != nil && ctx.Err() == nil {
		l.cfg.Logger.Warn("storing jobs' logs; they are on this machine until it succeeds", "logs", len(due), "error", failed)
	}
	for _, job := range quiet {
		l.close(ctx, job)
	}
}

// later has the next try wait as long as the first one did.
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

// storeLeft stores the segments that are on this machine and in nobody's hands.
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

var errMoved = errors.New("the log has moved on while it was read")

// tail reads what of the segment that grows is not stored.
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
