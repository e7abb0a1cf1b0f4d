package render_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"overcrank/aep"
	"overcrank/engine/render"
)

// film is a footage item of a film of 4 s that is red for its first second, then green, blue and white.
func (b *builder) film() *aep.Item {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "film.mkv")
	const source = "color=c=red:s=40x40:r=10:d=1[a];color=c=lime:s=40x40:r=10:d=1[b];" +
		"color=c=blue:s=40x40:r=10:d=1[c];color=c=white:s=40x40:r=10:d=1[d];[a][b][c][d]concat=n=4"
	if out, err := exec.Command("ffmpeg", "-v", "error", "-filter_complex", source, "-c:v", "ffv1", "-pix_fmt", "bgr0", path).CombinedOutput(); err != nil {
		b.t.Skipf("ffmpeg can't make a film: %v: %s", err, out)
	}
	return b.item("film.mkv", aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageFile, Width: 40, Height: 40, Duration: 4, FrameRate: 10, HasVideo: true, File: aep.FileReference{Resolved: path},
	}})
}

func TestFilmsPlayInTheirLayersTime(t *testing.T) {
	b := build(t)
	film := b.film()
	for _, c := range []struct {
		name   string
		change func(l *aep.Layer)
		spots  map[int]spot
	}{
		{"as they are", func(*aep.Layer) {}, map[int]spot{
			0: {20, 20, red}, 9: {20, 20, red}, 10: {20, 20, green}, 39: {20, 20, white}, 40: {20, 20, clear},
		}},
		{"later", func(l *aep.Layer) { l.Start = 2 }, map[int]spot{19: {20, 20, clear}, 20: {20, 20, red}, 45: {20, 20, blue}}},
		{"twice as fast", func(l *aep.Layer) { l.Stretch = 50 }, map[int]spot{4: {20, 20, red}, 5: {20, 20, green}, 19: {20, 20, white}}},
		{"backwards", func(l *aep.Layer) { l.Start, l.Stretch = 4, -100 }, map[int]spot{5: {20, 20, white}, 35: {20, 20, red}}},
		{"remapped", func(l *aep.Layer) {
			l.Props.Children = append(l.Props.Children, linear(value("ADBE Time Remapping"), 0, 1, aep.Numbers{2.5}, aep.Numbers{2.5}))
		}, map[int]spot{0: {20, 20, blue}, 90: {20, 20, blue}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			comp := b.comp(c.name, 40, 40)
			b.layer(comp, film, c.change)
			r := b.renderer(comp, render.Options{Workers: 2})
			for n, s := range c.spots {
				t.Logf("frame %d", n)
				check(t, oneFrame(t, r, n), s)
			}
		})
	}
}
