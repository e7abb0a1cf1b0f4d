package cache

import (
	"errors"
	"os"
	"slices"
)

// add adds an entry, in place of the one with its key. c.mu is held, except in Open.
func (c *Cache) add(e *entry) {
	if old := c.entries[e.key]; old != nil {
		c.total -= old.size
		old.dropped = old.file != e.file && old.pins > 0
		if old.file != e.file && old.pins == 0 {
			c.unlink(old)
		}
	}
	c.entries[e.key] = e
	c.total += e.size
}

// forget removes an entry from the cache, but not its file. c.mu is held.
func (c *Cache) forget(e *entry) {
	if c.entries[e.key] == e {
		delete(c.entries, e.key)
		c.total -= e.size
	}
}

// drop removes a damaged entry; its file is removed once nobody reads it. c.mu is held.
func (c *Cache) drop(e *entry) {
	if c.entries[e.key] != e {
		return
	}
	c.forget(e)
	e.dropped = true
}

// unlink removes the file of an entry that was removed from the cache, unless a newer entry has the file, or a fetch is about to replace
// it. c.mu is held.
func (c *Cache) unlink(e *entry) {
	if now := c.entries[e.key]; now != nil && now.file == e.file || c.fetches[e.key] != nil {
		return
	}
	// A file that cannot be removed now is removed, or used again, by the next start.
	_ = os.Remove(c.path(e.file))
}

// evict removes the least recently used entries that nobody reads, until the rest, with what running fetches will add, leaves room bytes of
// the limit. c.mu is held.
func (c *Cache) evict(room int64) { c.evictBut("", room) }

// evictBut is evict, but keeps the entry with the key keep.
func (c *Cache) evictBut(keep string, room int64) {
	over := func() bool { return c.total+c.coming+room > c.limit }
	if !over() {
		return
	}
	idle := make([]*entry, 0, len(c.entries))
	for key, e := range c.entries {
		if key != keep && e.pins == 0 {
			idle = append(idle, e)
		}
	}
	slices.SortFunc(idle, func(a, b *entry) int { return a.used.Compare(b.used) })
	for _, e := range idle {
		if !over() {
			return
		}
		if err := os.Remove(c.path(e.file)); err != nil && !errors.Is(err, os.ErrNotExist) {
			continue // a later call tries again
		}
		c.forget(e)
	}
}

// makeRoom evicts entries of that many bytes, because the disk is full. It reports false when nothing could be evicted.
func (c *Cache) makeRoom(bytes int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.total
	c.evict(c.limit - c.total - c.coming + bytes)
	return c.total < before
}
