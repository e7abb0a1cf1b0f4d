//go:build linux && !race

package films_test

import (
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep/aeptest"
	"overcrank/cmd/overcrank/farmtest"

	"overcrank/engine/likeness"
	"overcrank/engine/raster"
)

// textsAndSpectrum is where the film shows texts, whose fonts are not free, and the dots of its Audio Spectrum.
var textsAndSpectrum = []image.Rectangle{
	image.Rect(60, 120, 640, 280), image.Rect(60, 560, 1010, 625), image.Rect(1040, 520, 1240, 660),
}

// boilerplate is the real project beside the checkout: its footage, a job for it, and After Effects' own film of it.
func boilerplate(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(aeptest.Repository(t), "..", "shared", "samples", "inlife+nexrender-boilerplate")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the real projects are not beside the checkout: %v", err)
	}
	return dir
}

// boilerplateJob writes the project's job into a file of its own, without the remark that it carries, with some words replaced. What it
// names by a path beside itself it names by the whole path then.
func boilerplateJob(t *testing.T, dir string, replaced ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "film-job.json"))
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.NewReplacer(append(replaced, `"assets/`, `"`+filepath.Join(dir, "assets")+"/")...).Replace(string(text)))
	var job map[string]json.RawMessage
	if err := json.Unmarshal(text, &job); err != nil {
		t.Fatal(err)
	}
	delete(job, "note")
	if text, err = json.Marshal(job); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "job.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The film is rendered once, whole, through the farm, as its film-job.json says, and compared with the film that After
// Effects made of the same job.
func TestFilmOfARealProjectLooksLikeTheOneAfterEffectsMade(t *testing.T) {
	t.Parallel()
	dir := boilerplate(t)
	f := farmtest.Up(t, t.TempDir())
	film := filepath.Join(t.TempDir(), "film.mp4")
	code, stdout, stderr := f.Command("submit", boilerplateJob(t, dir), "--wait", "-o", film)
	if code != 0 {
		t.Fatalf("submit ended with %d:\n%s%s", code, stdout, stderr)
	}
	codec, w, h, frames, audio := farmtest.Probe(t, film)
	if codec != "h264" || w != 1280 || h != 720 || frames != 3601 || !audio {
		t.Errorf("the film is %s, %d x %d, %d frames, sound %v", codec, w, h, frames, audio)
	}
	compareFilms(t, film, filepath.Join(dir, "results", "output.mp4"), 0, 5, 20, 40)
}

// The XML twin of the project gives the same pictures.
func TestFilmOfTheXMLTwinLooksTheSame(t *testing.T) {
	t.Parallel()
	dir := boilerplate(t)
	const first = 300 // 5 s
	path := boilerplateJob(t, dir, "nm05ae12.aet", "nm05ae12.aepx", "[0, 3600]", "[300, 330]")
	f := farmtest.Up(t, t.TempDir())
	film := filepath.Join(t.TempDir(), "twin.mp4")
	if code, stdout, stderr := f.Command("submit", path, "--wait", "-o", film); code != 0 {
		t.Fatalf("submit ended with %d:\n%s%s", code, stdout, stderr)
	}
	compareFilms(t, film, filepath.Join(dir, "results", "output.mp4"), first/60, 5)
}

// How alike After Effects' film and ours have to be: just less than they are.
const leastAlike, leastMasked = 0.97, 0.99

// compareFilms compares two films at some seconds; ours begins at second from.
func compareFilms(t *testing.T, ours, theirs string, from int, seconds ...int) {
	t.Helper()
	for _, at := range seconds {
		a, b := frameAt(t, ours, at-from), frameAt(t, theirs, at)
		whole := likeness.Structural(a, b, nil)
		rest := likeness.Structural(a, b, textsAndSpectrum)
		t.Logf("structural similarity at %d s: %.3f, with texts and spectrum masked %.3f", at, whole, rest)
		if whole < leastAlike || rest < leastMasked {
			t.Errorf("at %d s: structural similarity %.3f (at least %g), masked %.3f (at least %g)", at, whole, leastAlike, rest, leastMasked)
		}
	}
}

// frameAt is the picture of a film at a second.
func frameAt(t *testing.T, film string, second int) *raster.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "frame.png")
	out, err := exec.Command("ffmpeg", "-v", "error", "-y", "-ss", fmt.Sprint(second), "-i", film, "-frames:v", "1", path).CombinedOutput()
	if err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	rgba := image.NewRGBA(img.Bounds())
	draw.Draw(rgba, rgba.Rect, img, img.Bounds().Min, draw.Src)
	return rgba
}
