// Package joblog keeps the logs of jobs, which grow line by line while their jobs run. On a farm of one coordinator with a folder of
// its own a log is a file there. Where coordinators share storage, which knows no appending, a log is a row of segments: each is
// written by one coordinator alone, grows in a file of that machine, and is stored anew as it grows.
package joblog

import (
	"bytes"
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

// Most is how large a job's log may grow, in bytes.
const Most = 64 << 20

// Config says where logs are kept.
type Config struct {
	// Local is a folder of this machine: for logs as they are when Shared is nil, for segments that grow otherwise.
	Local  *files.Folder
	Shared files.Shared
	Node   string // this coordinator's id
	// Order gives numbers that never fall, and are higher on a coordinator that leads than they were on the one before. A log's segments
	// are read in this order.
	Order func() uint64
	// Wanted tells whether lines of a job that came before a time may still be stored: false once they have been redacted, and for jobs
	// that are gone.
	Wanted func(job string, begun time.Time) (bool, error)
	Logger *slog.Logger
}

// Logs are the logs of all jobs. Its methods may be called at the same time.
type Logs struct {
	cfg    Config
	locks  [256]lock // see Logs.lock
	mu     sync.Mutex
	grows  map[string]*segment // by job; empty without shared storage
	known  map[string]listing  // by job
	latest int64               // of the times in segments' names
}

// Open opens the logs.
func Open(cfg Config) *Logs {
	return &Logs{cfg: cfg, grows: map[string]*segment{}, known: map[string]listing{}}
}

func whole(job string) string    { return "logs/" + job + ".log" }
func segments(job string) string { return "logs/" + job }

// lock is held while the log of a job is written, so that no line is lost while the log is written anew. Jobs share locks. Each lock
// keeps the file open that was added to last: an attempt notes several lines one soon after the other, and opening costs most.
type lock struct {
	sync.Mutex
	key  string
	file *files.Appender // nil for none
}

// add adds lines to a file, unless that is full.
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

// release closes what is open.
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
	_, _ = hash.Write([]byte(job)) // a hash takes everything
	return &l.locks[hash.Sum32()%uint32(len(l.locks))]
}

// Note adds lines to a job's log. A log that cannot be written holds nobody's render up.
func (l *Logs) Note(job string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	var text bytes.Buffer
	for _, line := range lines {
		text.WriteString(strings.Map(printable, line))
		text.WriteByte('\n')
	}
	if err := l.Add(job, text.Bytes()); err != nil {
		l.cfg.Logger.Warn("writing a job's log", "job", job, "error", err)
	}
}

// printable keeps one line one line, and terminals that show it safe.
func printable(r rune) rune {
	if r != '\t' && (r < ' ' || r == 0x7f) {
		return ' '
	}
	return r
}

// Add adds lines to a job's log, unless that is full.
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

// Rewrite replaces a job's log, as far as there is one, by what copy makes of it. What was there stays until that is done.
func (l *Logs) Rewrite(ctx context.Context, job string, copy func(to io.Writer, from io.Reader) error) error {
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	if l.cfg.Shared == nil {
		return errors.Join(lock.release(), rewrite(ctx, l.cfg.Local, whole(job), copy))
	}
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
	_ = clean.CloseWithError(io.ErrClosedPipe) // ends the copying when the file could not be kept
	<-copied
	return errors.Join(err, log.Close())
}

// Drop removes a job's log.
func (l *Logs) Drop(ctx context.Context, job string) error {
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	if l.cfg.Shared == nil {
		return errors.Join(lock.release(), l.cfg.Local.Delete(ctx, whole(job)))
	}
	err := l.abandon(ctx, job)
	l.forget(job)
	return errors.Join(err, l.cfg.Shared.DeleteBelow(ctx, segments(job)), l.cfg.Shared.Delete(ctx, whole(job)))
}
