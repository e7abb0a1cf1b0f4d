package coordinator

import "sync"

// rememberedSize is how many bytes of JSON what is remembered of one kind comes from, all together. In memory that is a few times as
// much.
const rememberedSize = 16 << 20

// remembered keeps what was read from files that do not change, so that reading it again asks no storage: introspections of the
// templates that jobs are submitted for, by their hash, and what private jobs keep to themselves. What is in it is shared: nobody may
// change it. Its zero value is empty.
type remembered[V any] struct {
	mu    sync.Mutex
	byKey map[string]memory[V]
	size  int64
	tick  uint64
}

type memory[V any] struct {
	value V
	size  int64
	used  uint64 // the tick of its last use
}

func (r *remembered[V]) get(key string) (value V, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, found := r.byKey[key]
	if !found {
		return value, false
	}
	r.tick++
	m.used = r.tick
	r.byKey[key] = m
	return m.value, true
}

// put keeps a value that comes from size bytes, and gives those up that were not used for the longest time until there is room for it.
func (r *remembered[V]) put(key string, size int64, value V) {
	if size > rememberedSize/4 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey == nil {
		r.byKey = make(map[string]memory[V])
	}
	if _, again := r.byKey[key]; again {
		return
	}
	for r.size+size > rememberedSize {
		r.dropOldestLocked()
	}
	r.tick++
	r.byKey[key] = memory[V]{value: value, size: size, used: r.tick}
	r.size += size
}

func (r *remembered[V]) forget(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.size -= r.byKey[key].size
	delete(r.byKey, key)
}

func (r *remembered[V]) dropOldestLocked() {
	oldest := ""
	for key, m := range r.byKey {
		if oldest == "" || m.used < r.byKey[oldest].used {
			oldest = key
		}
	}
	r.size -= r.byKey[oldest].size
	delete(r.byKey, oldest)
}
