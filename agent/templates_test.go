package agent

import (
	"slices"
	"strings"
	"testing"

	"overcrank/aep/aeptest"
	"overcrank/farm/wire"
)

func TestAnArchiveIsFetchedAndUnpackedOnce(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	start(t, p, "normal", t.TempDir())
	archive := aeptest.Archive(t, map[string][]byte{"Show folder/Show.aep": projectFile(t, 1), "Show folder/(Footage)/a.txt": []byte("a")})
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
		return len(p.cached) == 1 && slices.Equal(p.cached[0], []string{sha[:16]})
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
