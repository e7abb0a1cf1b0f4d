// Package joblog keeps the logs of jobs, which grow line by line while their jobs run. On a farm of one coordinator with a folder of its
// own a log is one file. Shared storage cannot append, so there a log is a sequence of segments: each is written by one coordinator
// alone, grows in a local file, and is stored again as it grows.
package joblog

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"overcrank/coordinator/files"
)

// Most is the largest size of a job's log, in bytes. Further lines are dropped.
const Most = 64 << 20

// Config configures Logs.
type Config struct {
	// Local is a folder of this machine: for the logs when Shared is nil, otherwise for growing segments.
	Local  *files.Folder
	Shared files.Shared
	Node   string // this coordinator's id
	// Order returns numbers that never fall, and that are higher on each new leader than on the one before. Segments of a log are read in
	// this order.
	Order func() uint64
	// Wanted reports whether lines of a job from a segment begun at a time may still be stored: not once they have been redacted or the
	// job is gone.
	Wanted func(job string, begun time.Time) (bool, error)
	Logger *slog.Logger
}

// Logs are the logs of all jobs. Its methods may be called concurrently.
type Logs struct {
	cfg    Config
	locks  [256]lock // see Logs.lock
	mu     sync.Mutex
	grows  map[string]*growing // by job; empty without shared storage
	known  map[string]listing  // by job
	latest int64               // newest time in a segment's name
}

// Open returns the logs; it opens no files.
func Open(cfg Config) *Logs {
	l := &Logs{cfg: cfg, grows: map[string]*growing{}, known: map[string]listing{}}
	for i := range l.locks {
		l.locks[i].stored = make(chan struct{}, 1)
	}
	return l
}

func whole(job string) string    { return "logs/" + job + ".log" }
func segments(job string) string { return "logs/" + job }

// lock is held while lines are written to the log of a job on this machine, and never while shared storage is asked: whoever has a line to
// write waits for nothing else, and some of them hold up the farm. Several jobs share a lock. Each lock keeps the last written file open:
// an attempt logs several lines in a row, and opening costs most.
type lock struct {
	sync.Mutex
	key  string
	file *files.Appender // nil for none

	// stored has a place while the parts of a log in shared storage are stored or rewritten. It is taken before the mutex.
	stored chan struct{}
	// changes counts what listings that were begun before must not be remembered after. It is guarded by Logs.mu.
	changes uint64
}

// turn waits until nobody else works on the stored parts of a log; done ends the caller's turn.
func (k *lock) turn(ctx context.Context) (done func(), err error) {
	select {
	case k.stored <- struct{}{}:
		return func() { <-k.stored }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the storage of a job's log: %w", ctx.Err())
	}
}

// add appends lines to a file, unless that is full.
func (k *lock) add(folder *files.Folder, key string, lines []byte) (err error) {
	if k.key != key || k.file == nil {
		if err := k.release(); err != nil {
			return err
		}
		if k.file, err = folder.Appender(key, int64(len(lines))); err != nil {
			return err
		}
		k.key = key
	}
	if k.file.Size() > Most {
		return nil
	}
	if _, err := k.file.Append(lines); err != nil {
		return errors.Join(err, k.release())
	}
	return nil
}

// release closes the open file.
func (k *lock) release() error {
	if k.file == nil {
		return nil
	}
	file := k.file
	k.file = nil
	return file.Close()
}

// Close closes the logs.
func (l *Logs) Close() (err error) {
	for i := range l.locks {
		k := &l.locks[i]
		k.Lock()
		err = errors.Join(err, k.release())
		k.Unlock()
	}
	return err
}

func (l *Logs) lock(job string) *lock {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(job)) // a hash never fails
	return &l.locks[hash.Sum32()%uint32(len(l.locks))]
}

// Note appends lines to a job's log. A failure is only logged, so that it does not hold up a render.
func (l *Logs) Note(job string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	size := len(lines)
	for _, line := range lines {
		size += len(line)
	}
	text := make([]byte, 0, size)
	for _, line := range lines {
		text = append(append(text, strings.Map(printable, line)...), '\n')
	}
	if err := l.Add(job, text); err != nil {
		l.cfg.Logger.Warn("writing a job's log", "job", job, "error", err)
	}
}

// printable replaces control characters: a line stays one line, and terminals that show it stay safe.
func printable(r rune) rune {
	if r != '\t' && (r < ' ' || r == 0x7f) {
		return ' '
	}
	return r
}

// Add appends lines to a job's log, unless that is full.
func (l *Logs) Add(job string, lines []byte) error {
	if len(lines) > Most {
		return nil
	}
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	if l.cfg.Shared != nil {
		return l.grow(job, lines)
	}
	return lock.add(l.cfg.Local, whole(job), lines)
}

// Open opens a job's log; files.ErrNotFound when it has none.
func (l *Logs) Open(ctx context.Context, job string) (*files.Reader, error) {
	if l.cfg.Shared == nil {
		return l.cfg.Local.Open(ctx, whole(job))
	}
	layout, err := l.Layout(ctx, job)
	if err != nil {
		return nil, err
	}
	return l.OpenLayout(layout)
}

// Rewrite replaces a job's log, if there is one, by what copy makes of it. The old one stays until the new one is complete. Lines that
// are added to a log in shared storage meanwhile stay as they are.
func (l *Logs) Rewrite(ctx context.Context, job string, copy func(to io.Writer, from io.Reader) error) error {
	lock := l.lock(job)
	if l.cfg.Shared == nil {
		lock.Lock()
		defer lock.Unlock()
		return errors.Join(lock.release(), rewrite(ctx, l.cfg.Local, whole(job), copy))
	}
	done, err := lock.turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := l.finish(ctx, job); err != nil {
		return err
	}
	parts, err := l.list(ctx, job)
	for _, part := range parts {
		err = errors.Join(err, rewrite(ctx, l.cfg.Shared, part.Key, copy))
	}
	l.forget(job)
	return err
}

func rewrite(ctx context.Context, store files.Store, key string, copy func(to io.Writer, from io.Reader) error) error {
	log, err := store.Open(ctx, key)
	if errors.Is(err, files.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening %s: %w", key, err)
	}
	clean, done := io.Pipe()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_ = done.CloseWithError(copy(done, log))
	}()
	_, err = store.Put(ctx, key, clean, files.Limits{Size: -1, Max: 2 * Most})
	_ = clean.CloseWithError(io.ErrClosedPipe) // ends copy if the file could not be stored
	<-copied
	return errors.Join(err, log.Close())
}

// Drop deletes a job's log.
func (l *Logs) Drop(ctx context.Context, job string) error {
	lock := l.lock(job)
	if l.cfg.Shared == nil {
		lock.Lock()
		defer lock.Unlock()
		return errors.Join(lock.release(), l.cfg.Local.Delete(ctx, whole(job)))
	}
	done, err := lock.turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	defer l.forget(job)
	return errors.Join(l.abandon(ctx, job), l.cfg.Shared.DeleteBelow(ctx, segments(job)), l.cfg.Shared.Delete(ctx, whole(job)))
}
