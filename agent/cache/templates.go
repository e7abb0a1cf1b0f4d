package cache

import (
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"sync"

	"overcrank/durable"
)

const (
	maxTemplates   = 200 // remembered at most
	templateDigits = 16  // of a hash in heartbeats
)

// Templates remembers which template files this machine used, the latest first. The cache may have evicted some since. It is safe for
// concurrent use.
type Templates struct {
	path string
	log  *slog.Logger

	mu     sync.Mutex
	hashes []string
}

// OpenTemplates reads the list at path. A list that cannot be read is taken as empty.
func OpenTemplates(path string, log *slog.Logger) *Templates {
	t := &Templates{path: path, log: log}
	content, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(content, &t.hashes) != nil {
		t.hashes = nil
	}
	t.hashes = slices.DeleteFunc(t.hashes, func(sha string) bool { return len(sha) < templateDigits })
	return t
}

// Used moves a file to the front, and adds it when it is new.
func (t *Templates) Used(sha string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.Index(t.hashes, sha)
	if at == 0 {
		return
	}
	if at > 0 {
		t.hashes = slices.Delete(t.hashes, at, at+1)
	}
	t.hashes = slices.Insert(t.hashes, 0, sha)
	t.hashes = t.hashes[:min(len(t.hashes), maxTemplates)]
	if at > 0 {
		return // only the order has changed
	}
	content, err := json.Marshal(t.hashes)
	if err == nil {
		err = durable.WriteFile(t.path, content, 0o600)
	}
	if err != nil {
		t.log.Warn("cannot write the list of template files; after a restart the farm does not know which this machine has", "error", err)
	}
}

// Present lists the files for which has is true, by the first digits of their hashes, as heartbeats send them.
func (t *Templates) Present(has func(sha string) bool) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	present := make([]string, 0, len(t.hashes))
	for _, sha := range t.hashes {
		if has(sha) {
			present = append(present, sha[:templateDigits])
		}
	}
	return present
}
