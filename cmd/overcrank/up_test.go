//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestUpRendersAJobIntoAFilm(t *testing.T) {
	f := startUp(t, t.TempDir())
	id := f.submitCard(f.card(), nil, map[string]any{"type": "text", "layerName": "Title", "value": "Hello"})
	job := f.finished(id)
	codec, w, h, frames, audio := probe(t, f.download(job))
	if codec != "h264" || w != 1280 || h != 720 || frames != 150 || !audio {
		t.Errorf("the film is %s, %d x %d, %d frames, sound %v", codec, w, h, frames, audio)
	}
	if log := f.log(id); !strings.Contains(log, "PROGRESS:") || !strings.Contains(log, "Finished composition") {
		t.Errorf("the log does not tell of the render:\n%s", log)
	}
}

func TestUpKeepsItsTokenToItself(t *testing.T) {
	f := startUp(t, t.TempDir())
	st, err := os.Stat(filepath.Join(f.dir, "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	if st.Mode().Perm() != 0o600 {
		t.Errorf("admin.token is %v, want 0600", st.Mode().Perm())
	}
	if strings.Contains(f.said.String(), f.token()) {
		t.Error("the token stands in the log")
	}
}

func TestUpGoesOnWhereItWas(t *testing.T) {
	dir := t.TempDir()
	f := startUp(t, dir)
	template := f.card()
	done := f.finished(f.submitCard(template, map[string]any{"frames": []int{0, 9}}))
	held := f.submitCard(template, nil)
	f.stop()

	again := startUp(t, dir)
	if again.Token != f.Token {
		t.Error("the token changed")
	}
	if job, err := again.Job(t.Context(), done.ID); err != nil || job.Status != "finished" {
		t.Errorf("the finished job is %v, %v", job, err)
	}
	if _, err := os.Stat(again.download(again.finished(held))); err != nil {
		t.Error(err)
	}
}

func TestNothingAcknowledgedIsLostWhenEverythingIsKilled(t *testing.T) {
	dir := t.TempDir()
	f := startUp(t, dir, "--lease", "2s")
	template := f.card()
	ids := []string{f.submitCard(template, nil), f.submitCard(template, map[string]any{"frames": []int{0, 20}})}
	f.await("the first job to render", func() bool { return len(processes(dir, "aerender")) > 0 })
	f.kill()

	again := startUp(t, dir, "--lease", "2s")
	for _, id := range ids {
		again.finished(id)
	}
}

func TestAKilledEngineIsTriedAgain(t *testing.T) {
	f := startUp(t, t.TempDir())
	id := f.submitCard(f.card(), nil)
	f.await("the engine to run", func() bool { return killAll(f.dir, "aerender") > 0 })
	f.finished(id)
	if log := f.log(id); !strings.Contains(strings.ToLower(log), "attempt 2") {
		t.Errorf("the log does not tell of a second attempt:\n%s", log)
	}
}

func TestAnAgentThatVanishesLosesNoJob(t *testing.T) {
	f := startUp(t, t.TempDir(), "--lease", "2s")
	id := f.submitCard(f.card(), nil)
	f.await("the engine to run", func() bool { return len(processes(f.dir, "aerender")) > 0 })
	if killAll(f.dir, "agent", "--until-stdin-ends") == 0 {
		t.Fatal("no agent was there to be killed")
	}
	f.finished(id)
}

func killAll(dir string, words ...string) int {
	pids := processes(dir, words...)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return len(pids)
}
