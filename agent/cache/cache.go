// Package cache keeps files by the hash of their content, up to a size limit: the least recently used are evicted first. Every file is
// verified while it is read, and fetched again when it does not match its hash.
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
	"overcrank/farm"
)

// ErrContent is the error of content that does not match its hash or size.
var ErrContent = errors.New("the content does not match its hash")

// Cache is a folder of files named by their SHA-256. It is safe for concurrent use. Two processes must not share one.
type Cache struct {
	dir     string
	limit   int64
	mu      sync.Mutex
	entries map[string]*entry // by key: the SHA-256 of a file, with the suffix unpackedKey for its unpacked form
	total   int64             // bytes of all entries
	coming  int64             // bytes that running fetches will add, as far as known
	fetches map[string]*fetching
	running sync.WaitGroup // of fetches
}

// entry is a file of the cache. Cache.mu guards the fields that change: used, pins and dropped.
type entry struct {
	key, file, sha string // file is its name, sha the SHA-256 of its content
	size           int64
	used           time.Time
	pins           int  // how many read it now
	dropped        bool // it is no longer in the cache; its file is removed once nobody reads it
}

// fetching is a running fetch. Several callers may wait for it; it is cancelled when the last of them gives up.
type fetching struct {
	done    chan struct{}
	err     error
	entry   *entry // the fetched file, pinned once for each caller that waits
	waiting int
	cancel  context.CancelFunc
}

// unpackedKey is the suffix of the key of a file that the cache has in its unpacked form, see KeepUnpacked.
const unpackedKey = ".unpacked"

var (
	unpackedName = regexp.MustCompile(`^([0-9a-f]{64})\.([0-9a-f]{64})$`) // the packed file's hash, then that of the entry
)

// Open opens the cache in dir, which it makes when missing, and removes incomplete and foreign files. limit is in bytes; a file larger
// than that is kept only while it is read.
func Open(dir string, limit int64) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the cache: %w", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the cache: %w", err)
	}
	c := &Cache{dir: dir, limit: limit, entries: make(map[string]*entry), fetches: make(map[string]*fetching)}
	for _, f := range files {
		e := entryOf(f.Name())
		info, err := f.Info()
		if err != nil || e == nil || !info.Mode().IsRegular() || c.entries[e.key] != nil {
			if err := os.RemoveAll(c.path(f.Name())); err != nil {
				return nil, fmt.Errorf("remove a file from the cache: %w", err)
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

// entryOf is the entry for a file with that name, nil when the name is not that of an entry.
func entryOf(file string) *entry {
	if farm.IsSHA256(file) {
		return &entry{key: file, file: file, sha: file}
	}
	if m := unpackedName.FindStringSubmatch(file); m != nil {
		return &entry{key: m[1] + unpackedKey, file: file, sha: m[2]}
	}
	return nil
}

// Close waits for running fetches, which end when their callers have given up.
func (c *Cache) Close() { c.running.Wait() }

// Fetch writes the content of a file.
type Fetch func(ctx context.Context, w io.Writer) error

// corruptTries is how often a file is fetched again because its content on the disk was damaged.
const corruptTries = 2

// Copy copies the file with this SHA-256 (lower-case hex) to the new file dst. A file that is not in the cache, or is damaged there, is
// fetched; concurrent callers for one file share one fetch. size is in bytes, -1 when it is not known.
func (c *Cache) Copy(ctx context.Context, sha string, size int64, dst string, fetch Fetch) error {
	if !farm.IsSHA256(sha) {
		return fmt.Errorf("%q is not a SHA-256", sha)
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

// Has reports whether the cache has a file, in its own form or unpacked.
func (c *Cache) Has(sha string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[sha] != nil || c.entries[sha+unpackedKey] != nil
}

// hold opens a file of the cache, and fetches it first when the cache does not have it.
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

// openOrJoin opens the file when the cache has it, and else joins the fetch of it, or starts one.
func (c *Cache) openOrJoin(ctx context.Context, sha string, size int64, fetch Fetch) (*held, *fetching, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h, err := c.openLocked(sha); h != nil || err != nil {
		return h, nil, err
	}
	fl := c.fetches[sha]
	if fl == nil {
		detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
		fl = &fetching{done: make(chan struct{}), cancel: cancel}
		c.fetches[sha] = fl
		c.running.Go(func() { c.fetch(detached, fl, sha, size, fetch) })
	}
	fl.waiting++
	return nil, fl, nil
}

// openLocked opens an entry. It is nil when there is none, or its file was removed from outside. c.mu is held.
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
		return nil, fmt.Errorf("open a cached file: %w", err)
	}
	e.pins++
	e.used = time.Now()
	// The time of the file tells the next start when it was last used.
	_ = os.Chtimes(c.path(e.file), e.used, e.used)
	return &held{c: c, e: e, f: f}, nil
}

// wait waits for a fetch and opens the file. It is nil when the caller has to try again.
func (c *Cache) wait(ctx context.Context, fl *fetching) (*held, error) {
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
		return nil, nil // the last of the others gave up just before this caller joined
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
	return nil, fmt.Errorf("open a cached file: %w", err)
}

// fetch makes room for a file, fetches it to a temporary file, verifies it, and adds it to the cache.
func (c *Cache) fetch(ctx context.Context, fl *fetching, sha string, size int64, fetch Fetch) {
	expected := max(size, 0)
	c.mu.Lock()
	c.coming += expected
	c.evict(0)
	c.mu.Unlock()
	written, err := c.bringMakingRoom(ctx, c.path(sha), sha, size, fetch)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.coming -= expected
	delete(c.fetches, sha)
	if err == nil {
		fl.entry = &entry{key: sha, file: sha, sha: sha, size: written, used: time.Now(), pins: fl.waiting}
		c.add(fl.entry)
		c.evictBut(sha, 0)
	}
	fl.err = err
	close(fl.done)
	fl.cancel()
}

// Bring fetches the file with this SHA-256 to dst without keeping it in the cache, for files that are needed once or must leave no trace. dst
// appears only when the file is complete. On a full disk, entries of the cache are evicted for it.
func (c *Cache) Bring(ctx context.Context, sha string, size int64, dst string, fetch Fetch) error {
	if !farm.IsSHA256(sha) {
		return fmt.Errorf("%q is not a SHA-256", sha)
	}
	_, err := c.bringMakingRoom(ctx, dst, sha, size, fetch)
	return err
}

// bringMakingRoom is bring, tried a second time when the disk was full and entries could be evicted.
func (c *Cache) bringMakingRoom(ctx context.Context, path, sha string, size int64, fetch Fetch) (written int64, err error) {
	written, err = bring(ctx, path, sha, size, fetch)
	if durable.Full(err) && c.makeRoom(max(size, c.limit/8)) {
		written, err = bring(ctx, path, sha, size, fetch)
	}
	return written, err
}

// bring fetches a file to path and verifies it.
func bring(ctx context.Context, path, sha string, size int64, fetch Fetch) (written int64, err error) {
	return writeBeside(path, func(tmp *os.File) (int64, error) {
		sum := &meter{w: tmp, hash: sha256.New(), limit: size}
		if err := fetch(ctx, sum); err != nil {
			return 0, err
		}
		if got := hex.EncodeToString(sum.hash.Sum(nil)); got != sha || size >= 0 && sum.n != size {
			return 0, fmt.Errorf("%w: received %d bytes with the hash %s for %s", ErrContent, sum.n, got, sha)
		}
		return sum.n, nil
	})
}

// writeBeside writes a temporary file in the folder of path, syncs it, and renames it to path.
func writeBeside(path string, fill func(tmp *os.File) (int64, error)) (written int64, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), partPrefix+"*")
	if err != nil {
		return 0, fmt.Errorf("make a temporary file: %w", err)
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
		return 0, fmt.Errorf("write a fetched file: %w", err)
	}
	if err := tmp.Close(); err != nil {
		return 0, fmt.Errorf("write a fetched file: %w", err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return 0, fmt.Errorf("rename a fetched file: %w", err)
	}
	return written, nil
}

// partPrefix is the prefix of temporary files. The next start removes those that a killed process left.
const partPrefix = ".part-"

// Size is how many bytes the cache holds.
func (c *Cache) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

func (c *Cache) path(file string) string { return filepath.Join(c.dir, file) }
