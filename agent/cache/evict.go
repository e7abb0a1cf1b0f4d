package cache

import (
	"errors"
	"os"
	"slices"
)

// add puts an entry in the place of one with its key. c.mu is held, save while the cache is opened.
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

// forget takes an entry out of the books. c.mu is held.
func (c *Cache) forget(e *entry) {
	if c.entries[e.key] == e {
		delete(c.entries, e.key)
		c.total -= e.size
	}
}

// drop takes a damaged entry out of the cache; its file goes when nobody reads it. c.mu is held.
func (c *Cache) drop(e *entry) {
	if c.entries[e.key] != e {
		return
	}
	c.forget(e)
	e.dropped = true
}

// unlink removes the file of an entry that is out of the books, unless another entry has it by now, or a fetch is about to put
// another in its place. c.mu is held.
func (c *Cache) unlink(e *entry) {
	if now := c.entries[e.key]; now != nil && now.file == e.file || c.flights[e.key] != nil {
		return
	}
	// What cannot be removed now is removed or taken over by the next start.
	_ = os.Remove(c.path(e.file))
}

// evict removes what was used longest ago, and is not being read, until the rest leaves so many bytes besides what fetches will
// bring. c.mu is held.
func (c *Cache) evict(room int64) { c.evictBut("", room) }

// evictBut is evict that lets one entry be.
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
			continue // its turn comes again
		}
		c.forget(e)
	}
}

// makeRoom gives so many bytes of a full disk back; false when there is nothing to give.
func (c *Cache) makeRoom(bytes int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.total
	c.evict(c.limit - c.total - c.coming + bytes)
	return c.total < before
}
