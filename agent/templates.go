package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"overcrank/agent/project"
	"overcrank/durable"
)

const (
	maxTold     = 200       // template files that the farm is told of
	toldDigits  = 16        // of a hash
	maxUnpacked = 512 << 20 // bytes of an unpacked project that is kept
)

// templates remembers which files of templates this machine used, the last one first. The cache may have dropped some meanwhile.
type templates struct {
	path string
	log  *slog.Logger

	mu     sync.Mutex
	hashes []string
}

// openTemplates reads what an earlier run remembered; what cannot be read is forgotten, and told again when it is used.
func openTemplates(path string, log *slog.Logger) *templates {
	t := &templates{path: path, log: log}
	content, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(content, &t.hashes) != nil {
		t.hashes = nil
	}
	t.hashes = slices.DeleteFunc(t.hashes, func(sha string) bool { return len(sha) < toldDigits })
	return t
}

// used puts a file first.
func (t *templates) used(sha string) {
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
	t.hashes = t.hashes[:min(len(t.hashes), maxTold)]
	if at > 0 {
		return // only the order is another
	}
	content, err := json.Marshal(t.hashes)
	if err == nil {
		err = durable.WriteFile(t.path, content, 0o600)
	}
	if err != nil {
		t.log.Warn("after the next start the farm does not know which templates are here", "error", err)
	}
}

// told is what the farm is told: the beginnings of the hashes of those that are still there.
func (t *templates) told(has func(sha string) bool) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	told := make([]string, 0, len(t.hashes))
	for _, sha := range t.hashes {
		if has(sha) {
			told = append(told, sha[:toldDigits])
		}
	}
	return told
}

// unpacked lays a project out that the cache has unpacked; nil when it has not.
func (t *attempt) unpacked(ctx context.Context, sha string) (*project.Layout, error) {
	if t.lease.Discard {
		return nil, nil
	}
	note, ok, err := t.a.cache.Unpack(ctx, sha, filepath.Join(t.dir, "p"))
	if !ok || err != nil {
		return nil, err
	}
	var layout project.Layout
	if err := json.Unmarshal(note, &layout); err != nil {
		return nil, fmt.Errorf("reading how the project was unpacked: %w", err)
	}
	t.say("this machine has the project unpacked")
	t.a.templates.used(sha)
	return &layout, nil
}

// layOut makes the fetched project ready to be opened, and keeps it so for later jobs when it had to be unpacked.
func (t *attempt) layOut(ctx context.Context, file fetched) (*project.Project, error) {
	dir := filepath.Join(t.dir, "p")
	if file.layout != nil {
		return project.Reopen(ctx, dir, *file.layout, t.lease.Composition)
	}
	p, err := project.Prepare(ctx, file.path, file.name, t.lease.Project.Type, dir, t.lease.Composition, t.a.room.takes)
	kept := t.lease.Project.File
	if err != nil || kept == nil || t.lease.Discard {
		return p, err
	}
	t.a.templates.used(kept.SHA256)
	if p.Layout == nil {
		return p, nil
	}
	note, err := json.Marshal(p.Layout)
	if err == nil {
		err = t.a.cache.KeepUnpacked(ctx, kept.SHA256, dir, note, maxUnpacked)
	}
	if err != nil {
		t.log.Warn("the project is unpacked again next time", "error", err)
	}
	return p, nil
}
