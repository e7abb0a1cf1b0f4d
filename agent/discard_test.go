package agent

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/agent/adobe"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// marked is a word that stands in everything of a job that wants nothing kept.
const marked = "zq-nobody-else-writes-this-zq"

// traces are the files below dir that hold the word, or are called by it.
func traces(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // the agent works in the folder: it replaces files by others
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(b, []byte(marked)) || strings.Contains(path, marked) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// unkept is a lease whose project comes from an address of the customer's, and of which nothing may stay.
func unkept(t *testing.T, p *peer, task string) wire.Lease {
	t.Helper()
	var project bytes.Buffer
	err := aep.Write(&project, &aep.Project{Version: aep.Version{Major: 24}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: []*aep.Item{
		{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, Duration: 1, WorkAreaDuration: 1}},
		{ID: 2, Name: marked, Kind: aep.ItemFolder},
	}})
	if err != nil || !bytes.Contains(project.Bytes(), []byte(marked)) {
		t.Fatalf("the project does not hold the word: %v", err)
	}
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(project.Bytes()) }))
	kept := p.keep(marked+".txt", []byte("content "+marked))
	l := lease(t, p, task)
	l.Project, l.Discard = wire.Project{Src: server + "/" + marked + ".aep"}, true
	l.Assets = []farm.Asset{
		{Type: "static", Name: marked + ".json", Src: "data:," + marked},
		{Type: "static", Name: "kept.txt", Src: "farm://" + kept.SHA256},
		{Type: "text", LayerName: "x", Value: []byte(`"` + marked + `"`)},
	}
	l.Files = map[string]farm.FileRef{"farm://" + kept.SHA256: kept}
	return l
}

func TestNothingOfAnUnkeptJobStays(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	for part, ends := range map[string]func(wire.Message) bool{
		"normal": func(m wire.Message) bool { return m.Finished != nil },
		"crash":  func(m wire.Message) bool { return m.Failed != nil },
	} {
		t.Run(part, func(t *testing.T) {
			p := newPeer(t)
			dir := t.TempDir()
			start(t, p, part, dir)
			l := unkept(t, p, "job.1")
			p.send(wire.Message{Lease: &l})
			if m := p.report(l.Attempt); !ends(m) {
				t.Fatalf("it ended with %s\n%s", describe(m), p.logged(l.Attempt))
			}
			p.eventually("the report to be forgotten", func() bool {
				left, err := os.ReadDir(filepath.Join(dir, "outbox"))
				return err == nil && len(left) == 0
			})
			if found := traces(t, dir); len(found) != 0 {
				t.Errorf("what stays: %v", found)
			}
		})
	}
}

// The same lease without the wish leaves its files in the cache, so that the search above is one that can find something.
func TestKeptJobsLeaveTheirFilesInTheCache(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	dir := t.TempDir()
	start(t, p, "normal", dir)
	l := unkept(t, p, "job.1")
	l.Discard = false
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Finished == nil {
		t.Fatalf("it ended with %s", describe(m))
	}
	if found := traces(t, filepath.Join(dir, "cache")); len(found) != 1 {
		t.Errorf("the cache holds %v", found)
	}
}

func TestTheNextStartClearsWhatACrashLeft(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir, home := t.TempDir(), t.TempDir()
	left := filepath.Join(dir, "work", "job.1-1")
	for path, content := range map[string]string{filepath.Join(left, "in", "project"): marked, filepath.Join(left, "discard"): ""} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old, fresh := cached(t, home, "old.cfa", -time.Hour), cached(t, home, "new.cfa", time.Minute)
	if _, err := adobe.NewCaches("darwin", func(string) string { return home }).DiscardLeft(filepath.Join(dir, "work")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(fresh); !os.IsNotExist(err) {
		t.Errorf("After Effects' cache holds what was written since: %v", err)
	}
	if _, err := os.Stat(old); err != nil {
		t.Errorf("what is older is gone too: %v", err)
	}
	start(t, p, "normal", dir)
	p.eventually("the agent to be there", func() bool { return len(p.hellos) > 0 })
	if found := traces(t, dir); len(found) != 0 {
		t.Errorf("what stays: %v", found)
	}
}

// cached is a file in After Effects' cache on a Mac, written so long from now.
func cached(t *testing.T, home, name string, age time.Duration) string {
	t.Helper()
	path := filepath.Join(home, "Library", "Application Support", "Adobe", "Common", "Media Cache Files", name)
	at := time.Now().Add(age)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}
