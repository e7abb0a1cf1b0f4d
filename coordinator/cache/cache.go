// Package cache keeps what was read from files that do not change, so that reading it again asks no storage.
package cache

import "sync"

// room is how many bytes all values of a cache come from, as they were read. In memory they take a few times as much.
const room = 16 << 20

// Cache keeps values by key and drops those that were not used for the longest time. What is in it is shared: nobody may change it. Its
// zero value is empty. Its methods may be called at the same time.
type Cache[V any] struct {
	mu    sync.Mutex
	byKey map[string]entry[V]
	size  int64
	tick  uint64
}

type entry[V any] struct {
	value V
	size  int64
	used  uint64 // the tick of its last use
}

// Get gives the value of a key.
func (c *Cache[V]) Get(key string) (value V, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, found := c.byKey[key]
	if !found {
		return value, false
	}
	c.tick++
	e.used = c.tick
	c.byKey[key] = e
	return e.value, true
}

// Put keeps a value that was read from size bytes. One that would take a quarter of the room is not kept.
func (c *Cache[V]) Put(key string, size int64, value V) {
	if size > room/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey == nil {
		c.byKey = make(map[string]entry[V])
	}
	if _, again := c.byKey[key]; again {
		return
	}
	for c.size+size > room {
		c.dropOldestLocked()
	}
	c.tick++
	c.byKey[key] = entry[V]{value: value, size: size, used: c.tick}
	c.size += size
}

// Delete drops the value of a key.
func (c *Cache[V]) Delete(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size -= c.byKey[key].size
	delete(c.byKey, key)
}

func (c *Cache[V]) dropOldestLocked() {
	oldest := ""
	for key, e := range c.byKey {
		if oldest == "" || e.used < c.byKey[oldest].used {
			oldest = key
		}
	}
	c.size -= c.byKey[oldest].size
	delete(c.byKey, oldest)
}
