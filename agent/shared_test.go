package agent

import (
	"os"
	"path/filepath"
	"testing"

	"overcrank/farm/wire"
)

// TestJobsShareFrames renders one project again and again with the embedded engine.
func TestJobsShareFrames(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	dir := t.TempDir()
	_, stop := startChanged(t, p, "", dir, func(a *agent) { a.machine.Shared.Limit = 1 << 30 })
	defer stop()
	render := func(task string, discard bool) int {
		l := lease(t, p, task)
		l.Discard = discard
		p.send(wire.Message{Lease: &l})
		m := p.report(l.Attempt)
		if m.Finished == nil {
			t.Fatalf("it ended with %s\n%s", describe(m), p.logged(l.Attempt))
		}
		return m.Finished.Measured.Reused
	}
	kept := func() int {
		files, err := os.ReadDir(filepath.Join(dir, "frames"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return len(files)
	}
	if n := render("job.1", true); n != 0 || kept() != 0 {
		t.Errorf("%d frames of a job that wants nothing kept, %d files", n, kept())
	}
	if a, b := render("job.2", false), render("job.3", false); a != 0 || b != 0 {
		t.Errorf("%d and %d frames were reused before they were drawn twice", a, b)
	}
	if n := render("job.4", false); n == 0 {
		t.Error("no frames were reused")
	}
	if n := render("job.5", true); n != 0 {
		t.Errorf("%d frames were reused by a job that wants nothing kept", n)
	}
}
