//go:build linux

package clients_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

func TestSubmitHandsOverLocalFilesWaitsAndFetches(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	dir := t.TempDir()
	if err := os.Symlink(farmtest.SmallCard(t), filepath.Join(dir, "card.zip")); err != nil {
		t.Fatal(err)
	}
	job := `{"template": {"src": "card.zip", "composition": "Title Card"}, "settings": {"frames": [0, 24]}, "tags": "spring, tv",
		"assets": [{"type": "text", "layerName": "Title", "value": "From a file"}]}`
	if err := os.WriteFile(filepath.Join(dir, "job.json"), []byte(job), 0o600); err != nil {
		t.Fatal(err)
	}
	film := filepath.Join(dir, "film.mp4")
	code, stdout, stderr := f.Command("submit", filepath.Join(dir, "job.json"), "--wait", "-o", film)
	if code != 0 || strings.TrimSpace(stdout) != film {
		t.Fatalf("exit code %d, said %q:\n%s", code, stdout, stderr)
	}
	if _, _, _, frames, _ := farmtest.Probe(t, film); frames != 25 {
		t.Errorf("the film has %d frames, want 25", frames)
	}

	code, stdout, _ = f.Command("jobs", "--tags", "tv", "--json")
	var jobs []client.Job
	if err := json.Unmarshal([]byte(stdout), &jobs); code != 0 || err != nil || len(jobs) != 1 || jobs[0].Status != "finished" {
		t.Errorf("jobs --json: exit code %d, %v:\n%s", code, err, stdout)
	}
	code, stdout, _ = f.Command("logs", "-f", jobs[0].ID)
	if code != 0 || !strings.Contains(stdout, "Finished composition") {
		t.Errorf("logs -f: exit code %d:\n%s", code, stdout)
	}
	if code, stdout, _ = f.Command("jobs"); code != 0 || !strings.Contains(stdout, jobs[0].ID) {
		t.Errorf("jobs: exit code %d:\n%s", code, stdout)
	}
}

func TestSubmitOfAJobThatFailsSaysWhyAndEndsWithOne(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	card := f.Card()
	file := filepath.Join(t.TempDir(), "job.json")
	body := `{"template": {"id": "` + card + `", "composition": "Title Card"}, "name": "Opener", "assets": [{"type": "text", "layerName": "Nobody", "value": "x"}]}`
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := f.Command("submit", file, "--wait")
	if code != 1 || !strings.Contains(stderr, "Layer 'Nobody' not found in composition") {
		t.Errorf("exit code %d:\n%s", code, stderr)
	}
	code, stdout, _ := f.Command("jobs", "show", "Opener")
	if code != 0 || !strings.Contains(stdout, "Title Card") || !strings.Contains(stdout, card) {
		t.Errorf("a job by its name: exit code %d:\n%s", code, stdout)
	}
	if code, stdout, _ = f.Command("jobs"); code != 0 || !strings.Contains(stdout, "COMPOSITION") || !strings.Contains(stdout, "Title Card") {
		t.Errorf("the list names no composition: exit code %d:\n%s", code, stdout)
	}
}

func TestSubmitSaysWhatIsMisspeltBeforeAnythingIsRendered(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	card, zip := f.Card(), farmtest.SmallCard(t)
	file := filepath.Join(t.TempDir(), "job.json")
	if err := os.WriteFile(file, []byte(`{"template": {"id": "`+card+`"}, "setings": {}, "prioirty": 4}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"submit", "--template", card, "--text", "Ttile=x"}, []string{"no layer 'Ttile'", "did you mean 'Title'?"}},
		{[]string{"submit", "--template", card, "--data", "Ttile:Opacity=1", "--image", "Nobody=" + zip}, []string{"'Ttile'", "'Nobody'"}},
		{[]string{"submit", file}, []string{"setings", "did you mean 'settings'?", "prioirty"}},
		{[]string{"submit", zip}, []string{"is a project, not a job", "--template " + zip}},
		{[]string{"jobs", "show", "Nothing"}, []string{"there is no job 'Nothing'"}},
	} {
		code, _, stderr := f.Command(c.args...)
		for _, want := range c.wants {
			if code == 0 || !strings.Contains(stderr, want) {
				t.Errorf("%v: exit code %d, does not say %q:\n%s", c.args, code, want, stderr)
			}
		}
	}
	if code, stdout, _ := f.Command("jobs", "--json"); code != 0 || strings.TrimSpace(stdout) != "[]" {
		t.Errorf("there are jobs: exit code %d:\n%s", code, stdout)
	}
	code, _, stderr := f.Command("templates", "add", zip, "--name", "Twin")
	if code != 0 || strings.Contains(stderr, "already") {
		t.Errorf("the first of a name: exit code %d:\n%s", code, stderr)
	}
	if code, _, stderr = f.Command("templates", "add", zip, "--name", "Twin"); code != 0 || !strings.Contains(stderr, "There is a template 'Twin' already") {
		t.Errorf("the second of a name: exit code %d:\n%s", code, stderr)
	}
}

func TestCommandsExplainWhatIsMissing(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"submit"}, "nothing to render"},
		{[]string{"submit", "--template", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--composition", "x"}, "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
		{[]string{"submit", "--template", "x", "--image", "a=/no/such/file.png"}, "/no/such/file.png"},
		{[]string{"submit", "--template", "no/such/project.aep"}, "no/such/project.aep: no such file"},
		{[]string{"submit", "--template", "x", "--frames", "3abc"}, "N or FIRST-LAST"},
		{[]string{"submit", "--template", "x", "-o", "/no/such/folder/film.mp4"}, "/no/such/folder"},
		{[]string{"logs", "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
		{[]string{"jobs", "--server", "http://127.0.0.1:1"}, "overcrank up"},
		{[]string{"jobs", "--token", "wrong"}, "token"},
	} {
		code, _, stderr := f.Command(c.args...)
		if code == 0 || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, want it to tell of %q:\n%s", c.args, code, c.want, stderr)
		}
	}
}

func TestDemoMakesAFilm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// Without the race detector, under which the whole card takes minutes.
	if out, err := exec.CommandContext(t.Context(), farmtest.Plain(t), "demo", "--dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	codec, w, h, frames, audio := farmtest.Probe(t, filepath.Join(dir, "title-card.mp4"))
	if codec != "h264" || w != 1280 || h != 720 || frames != titlecard.Frames || !audio {
		t.Errorf("the film is %s, %d x %d, %d frames, sound %v", codec, w, h, frames, audio)
	}
	farmtest.Await(t, "the demo's processes to be gone", func() bool { return len(farmtest.Processes(dir)) == 0 })
}
