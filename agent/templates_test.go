package agent

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/aep/aeptest"
	"overcrank/farm/wire"
)

func TestTemplatesAreRememberedByTheirUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "templates.json")
	list := openTemplates(path, slog.New(slog.DiscardHandler))
	hash := func(i int) string { return fmt.Sprintf("%016x%s", i, strings.Repeat("f", 48)) }
	for i := range maxTold + 50 {
		list.used(hash(i))
	}
	list.used(hash(100))
	all := func(string) bool { return true }
	if told := list.told(all); len(told) != maxTold || told[0] != hash(100)[:toldDigits] || told[1] != hash(maxTold + 49)[:toldDigits] {
		t.Errorf("told %d, first %q", len(told), told[:2])
	}
	again := openTemplates(path, slog.New(slog.DiscardHandler))
	if told := again.told(func(sha string) bool { return sha == hash(100) || sha == hash(0) }); !slices.Equal(told, []string{hash(100)[:toldDigits]}) {
		t.Errorf("told %q", told)
	}
	if err := os.WriteFile(path, []byte(`["x",7`), 0o600); err != nil {
		t.Fatal(err)
	}
	if told := openTemplates(path, slog.New(slog.DiscardHandler)).told(all); len(told) != 0 {
		t.Errorf("of a damaged file %q is told", told)
	}
}

func TestAnArchiveIsFetchedAndUnpackedOnce(t *testing.T) {
	needFFmpeg(t)
	p := newPeer(t)
	start(t, p, "normal", t.TempDir())
	archive := aeptest.Archive(t, map[string][]byte{"Show folder/Show.aep": projectFile(t), "Show folder/(Footage)/a.txt": []byte("a")})
	zipped := func(task string) wire.Lease {
		l := lease(t, p, task)
		ref := p.keep("show.zip", archive)
		l.Project = wire.Project{Type: "zip", File: &ref}
		return l
	}
	first := zipped("film.1")
	p.send(wire.Message{Lease: &first})
	if m := p.report(first.Attempt); m.Finished == nil {
		t.Fatalf("%s\n%s", describe(m), p.logged(first.Attempt))
	}
	sha := first.Project.File.SHA256
	p.eventually("the farm is told what is here", func() bool {
		return len(p.cached) == 1 && slices.Equal(p.cached[0], []string{sha[:toldDigits]})
	})
	second := zipped("film.2")
	p.mu.Lock()
	delete(p.files, sha)
	p.mu.Unlock()
	p.send(wire.Message{Lease: &second})
	if m := p.report(second.Attempt); m.Finished == nil {
		t.Fatalf("%s\n%s", describe(m), p.logged(second.Attempt))
	}
	if log := p.logged(second.Attempt); !strings.Contains(log, "this machine has the project unpacked") {
		t.Errorf("log:\n%s", log)
	}
}
