// Package cache keeps files by their content, bounded in size: what was used last stays longest.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"
)

// ErrContent marks bytes that are not those that were asked for.
var ErrContent = errors.New("the content is not what its hash says")

// Cache is a folder of files named by their SHA-256. Use it from as many goroutines as you like.
type Cache struct {
	dir     string
	limit   int64
	mu      sync.Mutex
	entries map[string]*entry
	total   int64
	flights map[string]*flight
	running sync.WaitGroup
}

type entry struct {
	size int64
	used time.Time
}

// flight is a fetch that several callers may wait for; it is cancelled when the last of them leaves.
type flight struct {
	done    chan struct{}
	err     error
	waiting int
	cancel  context.CancelFunc
}

var hashName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Open takes over the cache in dir, which is made when missing, and removes what is no whole file of it. limit is in
// bytes; a single file above it is still kept until the next one comes.
func Open(dir string, limit int64) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the cache: %w", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the cache: %w", err)
	}
	c := &Cache{dir: dir, limit: limit, entries: make(map[string]*entry), flights: make(map[string]*flight)}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !hashName.MatchString(f.Name()) || !info.Mode().IsRegular() {
			if err := os.RemoveAll(filepath.Join(dir, f.Name())); err != nil {
				return nil, fmt.Errorf("clearing the cache: %w", err)
			}
			continue
		}
		c.entries[f.Name()] = &entry{size: info.Size(), used: info.ModTime()}
		c.total += info.Size()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict("")
	return c, nil
}

// Close waits for fetches that run; their callers have ended them by then.
func (c *Cache) Close() { c.running.Wait() }

// Fetch writes the content of a file.
type Fetch func(ctx context.Context, w io.Writer) error

// Get opens the file with this SHA-256 (lower-case hex). When the cache has none, fetch brings it; callers that ask for
// the same file at once share one fetch. size is in bytes, -1 when not known.
func (c *Cache) Get(ctx context.Context, sha string, size int64, fetch Fetch) (*os.File, error) {
	if !hashName.MatchString(sha) {
		return nil, fmt.Errorf("%q is no SHA-256", sha)
	}
	for {
		f, fl, err := c.openOrJoin(ctx, sha, size, fetch)
		if f != nil || err != nil {
			return f, err
		}
		if err := c.wait(ctx, fl); err != nil {
			return nil, err
		}
	}
}

// openOrJoin opens the file when it is there, and else joins its fetch.
func (c *Cache) openOrJoin(ctx context.Context, sha string, size int64, fetch Fetch) (*os.File, *flight, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[sha]; e != nil {
		f, err := os.Open(c.path(sha))
		if err == nil {
			e.used = time.Now()
			// The time only tells a later start what was used last.
			_ = os.Chtimes(c.path(sha), e.used, e.used)
			return f, nil, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return nil, nil, fmt.Errorf("opening a cached file: %w", err)
		}
		c.total -= e.size
		delete(c.entries, sha)
	}
	fl := c.flights[sha]
	if fl == nil {
		detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
		fl = &flight{done: make(chan struct{}), cancel: cancel}
		c.flights[sha] = fl
		c.running.Go(func() { c.fly(detached, fl, sha, size, fetch) })
	}
	fl.waiting++
	return nil, fl, nil
}

func (c *Cache) wait(ctx context.Context, fl *flight) error {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		fl.waiting--
		if fl.waiting == 0 {
			fl.cancel()
		}
	}()
	select {
	case <-fl.done:
		if errors.Is(fl.err, context.Canceled) && ctx.Err() == nil {
			return nil // everyone else had left before this caller came: ask again
		}
		return fl.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// fly fetches a file beside its place, proves it, and moves it in.
func (c *Cache) fly(ctx context.Context, fl *flight, sha string, size int64, fetch Fetch) {
	written, err := c.bring(ctx, sha, size, fetch)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, sha)
	if err == nil {
		c.entries[sha] = &entry{size: written, used: time.Now()}
		c.total += written
		c.evict(sha)
	}
	fl.err = err
	close(fl.done)
	fl.cancel()
}

func (c *Cache) bring(ctx context.Context, sha string, size int64, fetch Fetch) (written int64, err error) {
	return bring(ctx, c.path(sha), sha, size, fetch)
}

// Bring fetches the file with this SHA-256 to path, past any cache. It appears there only when it is whole.
func Bring(ctx context.Context, path, sha string, size int64, fetch Fetch) error {
	if !hashName.MatchString(sha) {
		return fmt.Errorf("%q is no SHA-256", sha)
	}
	_, err := bring(ctx, path, sha, size, fetch)
	return err
}

func bring(ctx context.Context, path, sha string, size int64, fetch Fetch) (written int64, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return 0, fmt.Errorf("making a file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tmp.Close(), os.Remove(tmp.Name()))
		}
	}()
	sum := &meter{w: tmp, hash: sha256.New(), limit: size}
	if err := fetch(ctx, sum); err != nil {
		return 0, err
	}
	if got := hex.EncodeToString(sum.hash.Sum(nil)); got != sha || size >= 0 && sum.n != size {
		return 0, fmt.Errorf("%w: %d bytes with hash %s came for %s", ErrContent, sum.n, got, sha)
	}
	if err := tmp.Sync(); err != nil {
		return 0, fmt.Errorf("writing a fetched file: %w", err)
	}
	if err := tmp.Close(); err != nil {
		return 0, fmt.Errorf("writing a fetched file: %w", err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return 0, fmt.Errorf("naming a fetched file: %w", err)
	}
	return sum.n, nil
}

// evict removes what was used longest ago until the rest fits; keep stays. c.mu is held.
func (c *Cache) evict(keep string) {
	if c.total <= c.limit {
		return
	}
	names := make([]string, 0, len(c.entries))
	for name := range c.entries {
		if name != keep {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return c.entries[a].used.Compare(c.entries[b].used) })
	for _, name := range names {
		if c.total <= c.limit {
			return
		}
		// A file that is open cannot be removed on Windows; its turn comes again.
		if err := os.Remove(c.path(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			continue
		}
		c.total -= c.entries[name].size
		delete(c.entries, name)
	}
}

// Size is how many bytes the cache holds.
func (c *Cache) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

func (c *Cache) path(sha string) string { return filepath.Join(c.dir, sha) }
