package likeness_test

import (
	"image"
	"math"
	"os"
	"path/filepath"
	"testing"

	"overcrank/engine/likeness"
	"overcrank/engine/raster"
)

func flat(w int, c raster.Color) *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, 10))
	raster.FillRect(img, img.Rect, c)
	return img
}

func TestDifferencesOfFlatPictures(t *testing.T) {
	a, b := flat(10, raster.Color{100, 100, 100, 255}), flat(10, raster.Color{104, 100, 100, 255})
	if d := likeness.Difference(a, b); d != 1 {
		t.Errorf("one of four channels differs by 4: %g", d)
	}
	want := 10 * math.Log10(255*255/4.0) // the mean square is 16/4
	if p := likeness.Peak(a, b); math.Abs(p-want) > 1e-9 {
		t.Errorf("%g dB, want %g", p, want)
	}
	if p := likeness.Peak(a, a); !math.IsInf(p, 1) {
		t.Errorf("equal pictures: %g dB", p)
	}
	if c := flat(9, raster.Color{100, 100, 100, 255}); likeness.Peak(a, c) != 0 || likeness.Difference(a, c) != 255 {
		t.Error("pictures of different sizes are alike")
	}
}

func TestOraclesAreReadFromTheirList(t *testing.T) {
	dir := t.TempDir()
	list := "aep\tcomp\tkind\toracle_path\n" +
		"a/one.aep\tMain\tpng comp-frame 15 (20x30), rendered from the lottie export with Skottie\tp/one-f15.png\n" +
		"a/one.aep\tMain\tpng at 75% progress, another engine\tp/one-75.png\n" +
		"b/two.aep\tFilm\treal AE render (whole project)\tr/out.mp4\n" +
		"b/two.aep\t*\taepx twin\tb/two.aepx\n"
	if err := os.WriteFile(filepath.Join(dir, "ORACLES.tsv"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := likeness.Oracles(dir)
	if err != nil || len(got) != 4 {
		t.Fatalf("%v, %v", got, err)
	}
	if o := got[0]; o.Kind != likeness.Picture || o.By != "Skottie" || o.FrameOf(60) != 15 {
		t.Errorf("%+v", o)
	}
	if o := got[1]; o.Kind != likeness.Picture || o.By != "another engine" || o.FrameOf(60) != 45 || o.FrameOf(1) != 0 {
		t.Errorf("%+v", o)
	}
	if got[2].Kind != likeness.Film || got[3].Kind != likeness.Words {
		t.Errorf("%+v, %+v", got[2], got[3])
	}
	if err := os.WriteFile(filepath.Join(dir, "ORACLES.tsv"), []byte("a\tb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := likeness.Oracles(dir); err == nil {
		t.Error("a list of two columns was taken")
	}
}
