package coordinator

import (
	"sync"

	"overcrank/aep"
)

// summariesSize is how many bytes of JSON the kept summaries come from, all together. In memory they are a few times that.
const summariesSize = 16 << 20

// summaries keeps what was read of the templates that jobs are submitted for, by the hash of the introspection, so that a
// submission reads no file. Its zero value is empty.
type summaries struct {
	mu     sync.Mutex
	byHash map[string]keptSummary
	size   int64
	tick   uint64
}

type keptSummary struct {
	summary *aep.Summary
	size    int64
	used    uint64 // the tick of its last use
}

func (k *summaries) get(hash string) *aep.Summary {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, ok := k.byHash[hash]
	if !ok {
		return nil
	}
	k.tick++
	kept.used = k.tick
	k.byHash[hash] = kept
	return kept.summary
}

// put keeps a summary, and gives those up that were not used for the longest time until there is room for it.
func (k *summaries) put(hash string, size int64, s *aep.Summary) {
	if size > summariesSize/4 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byHash == nil {
		k.byHash = make(map[string]keptSummary)
	}
	if _, again := k.byHash[hash]; again {
		return
	}
	for k.size+size > summariesSize {
		k.dropOldest()
	}
	k.tick++
	k.byHash[hash] = keptSummary{summary: s, size: size, used: k.tick}
	k.size += size
}

func (k *summaries) dropOldest() {
	oldest := ""
	for hash, kept := range k.byHash {
		if oldest == "" || kept.used < k.byHash[oldest].used {
			oldest = hash
		}
	}
	k.size -= k.byHash[oldest].size
	delete(k.byHash, oldest)
}
