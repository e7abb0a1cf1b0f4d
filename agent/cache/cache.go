// Package cache keeps files by their content, bounded in size: what was used last stays longest. Nothing in it is believed: what a
// task gets was hashed on its way out, and is fetched again when it was not what its name says.
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
	"sync"
	"time"

	"overcrank/durable"
)

// ErrContent marks bytes that are not those that were asked for.
var ErrContent = errors.New("the content is not what its hash says")

// Cache is a folder of files named by their SHA-256. Use it from as many goroutines as you like; two processes may not share one.
type Cache struct {
	dir     string
	limit   int64
	mu      sync.Mutex
	entries map[string]*entry // by key: the SHA-256 of a file, or that with unpackedKey behind it
	total   int64             // bytes of all entries
	coming  int64             // bytes that fetches will bring, as far as known
	flights map[string]*flight
	running sync.WaitGroup
}

// entry is a file of the cache. It is guarded by Cache.mu, save for what never changes.
type entry struct {
	key, file, sha string // file is its name; sha is that of its content
	size           int64
	used           time.Time
	pins           int  // tasks that read it now
	dropped        bool // it is no longer in the cache, and goes when nobody reads it
}

// flight is a fetch that several callers may wait for; it is cancelled when the last of them leaves.
type flight struct {
	done    chan struct{}
	err     error
	entry   *entry // that it brought, pinned once for each caller that waits
	waiting int
	cancel  context.CancelFunc
}

// unpackedKey stands behind the SHA-256 of a file whose content the cache has in another form, see KeepUnpacked.
const unpackedKey = ".unpacked"

var (
	hashName     = regexp.MustCompile(`^[0-9a-f]{64}$`)
	unpackedName = regexp.MustCompile(`^([0-9a-f]{64})\.([0-9a-f]{64})$`) // the packed file's hash, then that of the entry
)

// Open takes over the cache in dir, which is made when missing, and removes what is no whole file of it. limit is in
// bytes; a single file above it is kept for as long as it is read.
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
		e := named(f.Name())
		info, err := f.Info()
		if err != nil || e == nil || !info.Mode().IsRegular() || c.entries[e.key] != nil {
			if err := os.RemoveAll(c.path(f.Name())); err != nil {
				return nil, fmt.Errorf("clearing the cache: %w", err)
			}
			continue
		}
		e.size, e.used = info.Size(), info.ModTime()
		c.add(e)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(0)
	return c, nil
}

// named is the entry that a file's name tells, nil for what is none.
func named(file string) *entry {
	if hashName.MatchString(file) {
		return &entry{key: file, file: file, sha: file}
	}
	if m := unpackedName.FindStringSubmatch(file); m != nil {
		return &entry{key: m[1] + unpackedKey, file: file, sha: m[2]}
	}
	return nil
}

// Close waits for fetches that run; their callers have ended them by then.
func (c *Cache) Close() { c.running.Wait() }

// Fetch writes the content of a file.
type Fetch func(ctx context.Context, w io.Writer) error

// corruptTries is how often a file is fetched anew because the disk gives something else than was written to it.
const corruptTries = 2

// Copy writes the file with this SHA-256 (lower-case hex) to the new file dst. When the cache has none, or what it has is damaged,
// fetch brings it; callers that ask for the same file at once share one fetch. size is in bytes, -1 when not known.
func (c *Cache) Copy(ctx context.Context, sha string, size int64, dst string, fetch Fetch) error {
	if !hashName.MatchString(sha) {
		return fmt.Errorf("%q is no SHA-256", sha)
	}
	for try := 1; ; try++ {
		h, err := c.hold(ctx, sha, size, fetch)
		if err != nil {
			return err
		}
		err = h.copyTo(ctx, dst)
		err = errors.Join(err, h.release())
		again := errors.Is(err, ErrContent) || durable.Full(err) && c.makeRoom(h.e.size)
		if err == nil || !again || try > corruptTries {
			return err
		}
	}
}

// Has tells whether the cache has a file, as it is or unpacked.
func (c *Cache) Has(sha string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[sha] != nil || c.entries[sha+unpackedKey] != nil
}

// hold opens a file of the cache, and fetches it first when it is not there.
func (c *Cache) hold(ctx context.Context, sha string, size int64, fetch Fetch) (*held, error) {
	for {
		h, fl, err := c.openOrJoin(ctx, sha, size, fetch)
		if h != nil || err != nil {
			return h, err
		}
		if h, err := c.wait(ctx, fl); h != nil || err != nil {
			return h, err
		}
	}
}

// openOrJoin opens the file when it is there, and else joins its fetch.
func (c *Cache) openOrJoin(ctx context.Context, sha string, size int64, fetch Fetch) (*held, *flight, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h, err := c.openLocked(sha); h != nil || err != nil {
		return h, nil, err
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

// openLocked opens an entry; nil when there is none, also when somebody took its file away.
func (c *Cache) openLocked(key string) (*held, error) {
	e := c.entries[key]
	if e == nil {
		return nil, nil
	}
	f, err := os.Open(c.path(e.file))
	if errors.Is(err, os.ErrNotExist) {
		c.forget(e)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening a cached file: %w", err)
	}
	e.pins++
	e.used = time.Now()
	// The time only tells a later start what was used last.
	_ = os.Chtimes(c.path(e.file), e.used, e.used)
	return &held{c: c, e: e, f: f}, nil
}

// wait gives what a fetch brought; nil when it is to be asked for again.
func (c *Cache) wait(ctx context.Context, fl *flight) (*held, error) {
	left := false
	select {
	case <-fl.done:
	case <-ctx.Done():
		left = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fl.waiting--
	if fl.waiting == 0 {
		fl.cancel()
	}
	switch {
	case left && fl.entry != nil:
		c.unpin(fl.entry)
		return nil, context.Cause(ctx)
	case left:
		return nil, context.Cause(ctx)
	case errors.Is(fl.err, context.Canceled):
		return nil, nil // everyone else had left before this caller came
	case fl.err != nil:
		return nil, fl.err
	}
	f, err := os.Open(c.path(fl.entry.file))
	if err == nil {
		return &held{c: c, e: fl.entry, f: f}, nil
	}
	c.unpin(fl.entry)
	if errors.Is(err, os.ErrNotExist) {
		c.forget(fl.entry)
		return nil, nil
	}
	return nil, fmt.Errorf("opening a cached file: %w", err)
}

// fly makes room for a file, fetches it beside its place, proves it, and moves it in.
func (c *Cache) fly(ctx context.Context, fl *flight, sha string, size int64, fetch Fetch) {
	expected := max(size, 0)
	c.mu.Lock()
	c.coming += expected
	c.evict(0)
	c.mu.Unlock()
	written, err := c.bringMakingRoom(ctx, c.path(sha), sha, size, fetch)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.coming -= expected
	delete(c.flights, sha)
	if err == nil {
		fl.entry = &entry{key: sha, file: sha, sha: sha, size: written, used: time.Now(), pins: fl.waiting}
		c.add(fl.entry)
		c.evictBut(sha, 0)
	}
	fl.err = err
	close(fl.done)
	fl.cancel()
}

// Bring fetches the file with this SHA-256 to dst without keeping it, for what is needed once or must leave no trace. It appears there
// only when it is whole. On a full disk the cache gives room for it.
func (c *Cache) Bring(ctx context.Context, sha string, size int64, dst string, fetch Fetch) error {
	if !hashName.MatchString(sha) {
		return fmt.Errorf("%q is no SHA-256", sha)
	}
	_, err := c.bringMakingRoom(ctx, dst, sha, size, fetch)
	return err
}

// bringMakingRoom is bring, and once more when the disk was full and the cache could give some of it back.
func (c *Cache) bringMakingRoom(ctx context.Context, path, sha string, size int64, fetch Fetch) (written int64, err error) {
	written, err = bring(ctx, path, sha, size, fetch)
	if durable.Full(err) && c.makeRoom(max(size, c.limit/8)) {
		written, err = bring(ctx, path, sha, size, fetch)
	}
	return written, err
}

func bring(ctx context.Context, path, sha string, size int64, fetch Fetch) (written int64, err error) {
	return writeBeside(path, func(tmp *os.File) (int64, error) {
		sum := &meter{w: tmp, hash: sha256.New(), limit: size}
		if err := fetch(ctx, sum); err != nil {
			return 0, err
		}
		if got := hex.EncodeToString(sum.hash.Sum(nil)); got != sha || size >= 0 && sum.n != size {
			return 0, fmt.Errorf("%w: %d bytes with hash %s came for %s", ErrContent, sum.n, got, sha)
		}
		return sum.n, nil
	})
}

// writeBeside fills a file beside path and gives it that name when it is whole and on the disk.
func writeBeside(path string, fill func(tmp *os.File) (int64, error)) (written int64, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), partPrefix+"*")
	if err != nil {
		return 0, fmt.Errorf("making a file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tmp.Close(), os.Remove(tmp.Name()))
		}
	}()
	if written, err = fill(tmp); err != nil {
		return 0, err
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
	return written, nil
}

// partPrefix begins the names of files that are not whole yet; the next start removes those of a killed one.
const partPrefix = ".part-"

// Size is how many bytes the cache holds.
func (c *Cache) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

func (c *Cache) path(file string) string { return filepath.Join(c.dir, file) }
