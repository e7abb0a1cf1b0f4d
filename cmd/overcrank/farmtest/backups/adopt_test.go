//go:build linux

package backups_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/farmtest"

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
		cmd := exec.Command(step[0], step[1:]...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as `make build`, with which it shares what is compiled
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(step, " "), err, out)
		}
	}
	return program
}

// launchRelease starts a farm of an earlier release. What it answers follows the document of that release, so it is not held to today's.
func launchRelease(t *testing.T, program, dir string) *farmtest.Farm {
	t.Helper()
	f := farmtest.LaunchProgram(t, program, "up", dir)
	f.HTTP = &http.Client{}
	return f
}

func TestAdoptsAFarmOfTheFirstRelease(t *testing.T) {
	t.Parallel()
	program, dir := buildRelease(t, firstRelease), t.TempDir()
	before := launchRelease(t, program, dir)
	before.Await("the farm of the first release to be ready", func() bool { return client.Ready(t.Context(), before.Server) == nil })
	token, card := before.AdminToken(), before.Card()
	done := before.Finished(before.SubmitCard(card, map[string]any{"type": "image", "frames": 0}))
	rendering := before.SubmitCard(card, map[string]any{"frames": []int{20, 50}}, titled("rendering"))
	waiting := []string{
		before.SubmitCard(card, map[string]any{"type": "image", "frames": 1}, titled("waiting")),
		before.SubmitCard(card, map[string]any{"frames": []int{0, 1}, "codec": "video_prores_4444"}, titled("waiting as well")),
	}
	held := submitWith(before, map[string]any{"template": map[string]string{"id": card, "composition": titlecard.Strip}, "hold": true,
		"settings": map[string]any{"type": "image", "frames": 0}})
	before.Await("a job to be rendered", func() bool {
		job, err := before.Job(t.Context(), rendering)
		return err == nil && (job.Status == "render:dorender" || job.Status.Ended()) // before anybody looked
	})
	before.Kill()

	for range 2 { // the second time, what the first one made of the folder is opened
		f := farmtest.Up(t, dir)
		if f.AdminToken() != token {
			t.Error("the administrator's token is another one")
		}
		for _, id := range append(waiting, rendering) {
			f.Finished(id)
		}
		result := f.Finished(done.ID)
		if f.Fetch(result); !strings.Contains(f.LogOf(done.ID), "attempt 1 finished") {
			t.Errorf("the log of job %s is gone:\n%s", done.ID, f.LogOf(done.ID))
		}
		if template, err := f.Template(t.Context(), card); err != nil || len(template.Compositions) != 2 {
			t.Errorf("the template is %+v: %v", template, err)
		}
		if job, err := f.Job(t.Context(), held); err != nil || job.Status != "queued" {
			t.Errorf("the job that is held is %+v: %v", job, err)
		}
		f.Stop()
	}
	// What came later works on what was there before.
	f := farmtest.Up(t, dir)
	f.Finished(f.SubmitCard(card, map[string]any{"type": "image", "frames": 2}, map[string]any{
		"type": "job", "layerName": titlecard.PictureLayer, "template": map[string]string{"id": card, "composition": titlecard.Strip},
		"settings": map[string]any{"type": "image", "frames": 0},
	}))
	if code, _, stderr := f.Command("jobs", "release", held); code != 0 {
		t.Errorf("the job is not released: %s", stderr)
	}
	f.Finished(held)
	code, list, stderr := f.Command("jobs", "list", "--all", "--json")
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
	before.Await("the farm of the first release to be ready", func() bool { return client.Ready(t.Context(), before.Server) == nil })
	token, card := before.AdminToken(), before.Card()
	still := map[string]any{"type": "image", "frames": 0}
	done := before.Finished(before.SubmitCard(card, still))
	long := before.SubmitCard(card, map[string]any{"frames": []int{0, 50}}, titled("rendering"))
	before.Await("a job to be rendered", func() bool {
		job, err := before.Job(t.Context(), long)
		return err == nil && (job.Status == "render:dorender" || job.Status.Ended()) // before anybody looked
	})
	before.Kill()

	f := farmtest.Up(t, dir)
	f.Finished(long)
	since := f.Finished(f.SubmitCard(card, still, titled("since the upgrade")))
	if code, _, stderr := f.Command("downgrade", "--data-dir", dir, "--to", firstRelease); code == 0 || !strings.Contains(stderr, "stop the farm first") {
		t.Errorf("a farm that runs is taken back: %s", stderr)
	}
	f.Stop()
	if code, _, stderr := f.Command("downgrade", "--data-dir", dir, "--to", "v0.1.5"); code != exit.Usage {
		t.Errorf("another release: exit code %d, %s", code, stderr)
	}
	if code, _, stderr := f.Command("downgrade", "--data-dir", dir, "--to", firstRelease); code != 0 {
		t.Fatal(stderr)
	}

	back := launchRelease(t, program, dir)
	back.Await("the farm of the first release to be ready again", func() bool { return client.Ready(t.Context(), back.Server) == nil })
	if back.AdminToken() != token {
		t.Error("the administrator's token is another one")
	}
	back.Fetch(back.Finished(done.ID))
	back.Finished(long)
	if job, err := back.Job(t.Context(), since.ID); err == nil {
		t.Errorf("the first release knows a job of a later one: %+v", job)
	}
	back.Finished(back.SubmitCard(card, still, titled("after going back")))
	back.Stop()

	again := farmtest.Up(t, dir)
	again.Finished(long)
	again.Finished(again.SubmitCard(card, still, titled("after the second upgrade")))
}

func titled(value string) map[string]any {
	return map[string]any{"type": "text", "layerName": titlecard.TitleLayer, "value": value}
}

// submitWith submits a body as it is.
func submitWith(f *farmtest.Farm, body map[string]any) string {
	f.T.Helper()
	job, err := f.Submit(f.T.Context(), body)
	if err != nil {
		f.T.Fatal(err)
	}
	return job.ID
}
