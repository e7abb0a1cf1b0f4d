//go:build linux

package trouble_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"overcrank/cmd/overcrank/farmtest"
)

func TestUpRendersAJobIntoAFilm(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	id := f.SubmitCard(f.Card(), nil, map[string]any{"type": "text", "layerName": "Title", "value": "Hello"})
	job := f.Finished(id)
	codec, w, h, frames, audio := farmtest.Probe(t, f.Fetch(job))
	if codec != "h264" || w != farmtest.SmallWidth || h != farmtest.SmallHeight || frames != 150 || !audio {
		t.Errorf("the film is %s, %d x %d, %d frames, sound %v", codec, w, h, frames, audio)
	}
	if log := f.LogOf(id); !strings.Contains(log, "PROGRESS:") || !strings.Contains(log, "Finished composition") {
		t.Errorf("the log does not tell of the render:\n%s", log)
	}
}

func TestUpKeepsItsTokenToItself(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	st, err := os.Stat(filepath.Join(f.Dir, "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	if st.Mode().Perm() != 0o600 {
		t.Errorf("admin.token is %v, want 0600", st.Mode().Perm())
	}
	if strings.Contains(f.Said.String(), f.AdminToken()) {
		t.Error("the token stands in the log")
	}
}

func TestUpGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.Up(t, dir)
	template := f.Card()
	done := f.Finished(f.SubmitCard(template, map[string]any{"frames": []int{0, 9}}))
	held := f.SubmitCard(template, nil)
	f.Stop()

	again := farmtest.Up(t, dir)
	if again.Token != f.Token {
		t.Error("the token changed")
	}
	if job, err := again.Job(t.Context(), done.ID); err != nil || job.Status != "finished" {
		t.Errorf("the finished job is %v, %v", job, err)
	}
	if _, err := os.Stat(again.Fetch(again.Finished(held))); err != nil {
		t.Error(err)
	}
}

func TestNothingAcknowledgedIsLostWhenEverythingIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.Up(t, dir, "--lease", "15s")
	template := f.Card()
	var ids []string
	f.Rendering(func() string {
		ids = append(ids, f.SubmitCard(template, map[string]any{"frames": []int{0, 20}}), f.SubmitCard(template, nil, farmtest.Busy()))
		return ids[len(ids)-1]
	})
	f.Kill()

	again := farmtest.Up(t, dir, "--lease", "15s")
	for _, id := range ids {
		again.Finished(id)
	}
}

func TestAKilledEngineIsTriedAgain(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Card()
	f.Await("an engine to be killed before it is done", func() bool {
		id := f.Rendering(func() string { return f.SubmitSlow(template) })
		killAll(f.Dir, "aerender")
		f.Finished(id)
		var log string
		f.Await("the log to tell of the end", func() bool { log = f.LogOf(id); return strings.Contains(log, "finished:") })
		return strings.Contains(log, "attempt 2")
	})
}

func TestAnAgentThatVanishesLosesNoJob(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir(), "--lease", "15s")
	template := f.Card()
	id := f.Rendering(func() string { return f.SubmitSlow(template) })
	if killAll(f.Dir, "agent", "--until-stdin-ends") == 0 {
		t.Fatal("no agent was there to be killed")
	}
	f.Finished(id)
}

func killAll(dir string, words ...string) int {
	pids := farmtest.Processes(dir, words...)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return len(pids)
}
