//go:build linux

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcrank/aep/aeptest"
	"overcrank/cmd/overcrank/titlecard"
)

// firstRelease is the release whose farms every later one takes over.
const firstRelease = "v0.1.0"

// commitOf is the commit of a release as CHANGELOG.md names it, since tags do not travel with every clone.
func commitOf(t *testing.T, repository, release string) string {
	t.Helper()
	changelog, err := os.ReadFile(filepath.Join(repository, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(release) + ` .*\b([0-9a-f]{40})\b`).FindSubmatch(changelog)
	if heading == nil {
		t.Fatalf("CHANGELOG.md has no heading that names the commit of %s", release)
	}
	return string(heading[1])
}

// buildRelease builds the program of a release from the history of this clone. A clone without it, such as a shallow one, skips the test.
func buildRelease(t *testing.T, release string) string {
	t.Helper()
	repository, dir := aeptest.Repository(t), t.TempDir()
	commit := commitOf(t, repository, release)
	if err := exec.Command("git", "-C", repository, "cat-file", "-e", commit+"^{commit}").Run(); err != nil {
		t.Skipf("the history of this clone does not reach back to %s, commit %s", release, commit)
	}
	tree, program := filepath.Join(dir, "tree"), filepath.Join(dir, "overcrank")
	steps := [][]string{
		{"git", "-C", repository, "archive", "--prefix", "tree/", "--output", filepath.Join(dir, "tree.tar"), commit},
		{"tar", "-xf", filepath.Join(dir, "tree.tar"), "-C", dir},
		// Without paths in it, Go's cache knows the build whatever folder it is made in.
		{"go", "build", "-C", tree, "-trimpath", "-buildvcs=false", "-o", program, "./cmd/overcrank"},
	}
	for _, step := range steps {
		if out, err := exec.Command(step[0], step[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(step, " "), err, out)
		}
	}
	return program
}

// launchRelease starts a farm of an earlier release. What it answers follows the document of that release, so it is not held to today's.
func launchRelease(t *testing.T, program, dir string) *runningFarm {
	t.Helper()
	f := launchProgram(t, program, "up", dir)
	f.HTTP = &http.Client{}
	return f
}

func TestAdoptsAFarmOfTheFirstRelease(t *testing.T) {
	t.Parallel()
	program, dir := buildRelease(t, firstRelease), t.TempDir()
	before := launchRelease(t, program, dir)
	before.await("the farm of the first release to be ready", func() bool { return ready(t.Context(), before.Server) == nil })
	token, card := before.token(), before.card()
	done := before.finished(before.submitCard(card, map[string]any{"type": "image", "frames": 0}))
	rendering := before.submitCard(card, map[string]any{"frames": []int{20, 50}}, titled("rendering"))
	waiting := []string{
		before.submitCard(card, map[string]any{"type": "image", "frames": 1}, titled("waiting")),
		before.submitCard(card, map[string]any{"frames": []int{0, 1}, "codec": "video_prores_4444"}, titled("waiting as well")),
	}
	held := before.submitWith(map[string]any{"template": map[string]string{"id": card, "composition": titlecard.Strip}, "hold": true,
		"settings": map[string]any{"type": "image", "frames": 0}})
	before.await("a job to be rendered", func() bool {
		job, err := before.Job(t.Context(), rendering)
		return err == nil && job.Status == "render:dorender"
	})
	before.kill()

	for range 2 { // the second time, what the first one made of the folder is opened
		f := startUp(t, dir)
		if f.token() != token {
			t.Error("the administrator's token is another one")
		}
		for _, id := range append(waiting, rendering) {
			f.finished(id)
		}
		result := f.finished(done.ID)
		if f.download(result); !strings.Contains(f.log(done.ID), "attempt 1 finished") {
			t.Errorf("the log of job %s is gone:\n%s", done.ID, f.log(done.ID))
		}
		if template, err := f.Template(t.Context(), card); err != nil || len(template.Compositions) != 2 {
			t.Errorf("the template is %+v: %v", template, err)
		}
		if job, err := f.Job(t.Context(), held); err != nil || job.Status != "queued" {
			t.Errorf("the job that is held is %+v: %v", job, err)
		}
		f.stop()
	}
	// What came later works on what was there before.
	f := startUp(t, dir)
	f.finished(f.submitCard(card, map[string]any{"type": "image", "frames": 2}, map[string]any{
		"type": "job", "layerName": titlecard.PictureLayer, "template": map[string]string{"id": card, "composition": titlecard.Strip},
		"settings": map[string]any{"type": "image", "frames": 0},
	}))
	if code, _, stderr := f.command("jobs", "release", held); code != 0 {
		t.Errorf("the job is not released: %s", stderr)
	}
	f.finished(held)
	code, list, stderr := f.command("jobs", "list", "--all", "--json")
	if code != 0 {
		t.Errorf("the jobs are not listed: %s", stderr)
	}
	for _, id := range append(waiting, done.ID, rendering, held) {
		if !strings.Contains(list, `"id":"`+id+`"`) {
			t.Errorf("job %s is not in the list\n%s", id, list)
		}
	}
}

// TestGoesBackToTheFirstRelease upgrades a farm of the first release, works with it, and goes back: that release itself finds what it
// left, and the farm can be upgraded again.
func TestGoesBackToTheFirstRelease(t *testing.T) {
	t.Parallel()
	program, dir := buildRelease(t, firstRelease), t.TempDir()
	before := launchRelease(t, program, dir)
	before.await("the farm of the first release to be ready", func() bool { return ready(t.Context(), before.Server) == nil })
	token, card := before.token(), before.card()
	still := map[string]any{"type": "image", "frames": 0}
	done := before.finished(before.submitCard(card, still))
	long := before.submitCard(card, map[string]any{"frames": []int{0, 50}}, titled("rendering"))
	before.await("a job to be rendered", func() bool {
		job, err := before.Job(t.Context(), long)
		return err == nil && job.Status == "render:dorender"
	})
	before.kill()

	f := startUp(t, dir)
	f.finished(long)
	since := f.finished(f.submitCard(card, still, titled("since the upgrade")))
	if code, _, stderr := f.command("downgrade", "--data-dir", dir, "--to", firstRelease); code == 0 || !strings.Contains(stderr, "stop the farm first") {
		t.Errorf("a farm that runs is taken back: %s", stderr)
	}
	f.stop()
	if code, _, stderr := f.command("downgrade", "--data-dir", dir, "--to", "v0.1.5"); code != exitUsage {
		t.Errorf("another release: exit code %d, %s", code, stderr)
	}
	if code, _, stderr := f.command("downgrade", "--data-dir", dir, "--to", firstRelease); code != 0 {
		t.Fatal(stderr)
	}

	back := launchRelease(t, program, dir)
	back.await("the farm of the first release to be ready again", func() bool { return ready(t.Context(), back.Server) == nil })
	if back.token() != token {
		t.Error("the administrator's token is another one")
	}
	back.download(back.finished(done.ID))
	back.finished(long)
	if job, err := back.Job(t.Context(), since.ID); err == nil {
		t.Errorf("the first release knows a job of a later one: %+v", job)
	}
	back.finished(back.submitCard(card, still, titled("after going back")))
	back.stop()

	again := startUp(t, dir)
	again.finished(long)
	again.finished(again.submitCard(card, still, titled("after the second upgrade")))
}

func titled(value string) map[string]any {
	return map[string]any{"type": "text", "layerName": titlecard.TitleLayer, "value": value}
}

// submitWith submits a body as it is.
func (f *runningFarm) submitWith(body map[string]any) string {
	f.t.Helper()
	job, err := f.Submit(f.t.Context(), body)
	if err != nil {
		f.t.Fatal(err)
	}
	return job.ID
}
