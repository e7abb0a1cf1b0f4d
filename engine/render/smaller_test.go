package render_test

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	expressions "overcrank/engine/expression"
	"overcrank/engine/likeness"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// movie is a footage item of a film of two seconds in H.264.
func (b *builder) movie(w, h int) *aep.Item {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "movie.mp4")
	args := []string{"-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x480:r=10:d=2", "-c:v", "libx264", "-qp", "8", "-pix_fmt", "yuv420p", path}
	if out, err := exec.Command("ffmpeg", args...).CombinedOutput(); err != nil {
		b.t.Skipf("ffmpeg can't make a film: %v: %s", err, out)
	}
	return b.item("movie.mp4", aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageFile, Width: w, Height: h, Duration: 2, FrameRate: 10, HasVideo: true, File: aep.FileReference{Resolved: path},
	}})
}

// small draws frames of a film that is seen small: with whole, as it is drawn whose scale an expression decides on, which has the same result.
func small(t *testing.T, b *builder, film *aep.Item, percent float64, whole bool, opt render.Options, first, last int) (frames []*raster.Image) {
	t.Helper()
	comp := b.comp("main", 320, 240)
	comp.Comp.Duration = 2
	b.layer(comp, film, func(l *aep.Layer) {
		scale := linear(value("ADBE Scale", percent, percent), 0, 1, aep.Numbers{percent - 1, percent - 1}, aep.Numbers{percent, percent})
		if whole {
			scale.Expression, scale.ExpressionOn = "value", true
		}
		transform(l, scale)
		transform(l, value("ADBE Rotate Z", 10))
	})
	aep.Complete(b.p)
	opt.Expressions = func(e *eval.Evaluator) eval.Expressions {
		return expressions.New(expressions.Host{Project: b.p, Eval: e})
	}
	r := b.renderer(comp, opt)
	err := r.Frames(context.Background(), first, last, 1, func(_ int, img *raster.Image) error {
		own := *img
		own.Pix = bytes.Clone(img.Pix)
		frames = append(frames, &own)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return frames
}

func TestAFilmThatIsSeenSmallLooksAsIfItWasDecodedWhole(t *testing.T) {
	for _, c := range []struct {
		name    string
		percent float64
		scale   float64
		w, h    int  // of the film as the project has it
		same    bool // it is decoded whole
	}{
		{"half", 50, 1, 640, 480, false}, {"a quarter", 25, 1, 640, 480, false}, {"half, in a preview", 100, 0.5, 640, 480, false},
		{"more than half", 51, 1, 640, 480, true}, {"half of a film that is larger than it was", 50, 1, 320, 240, false},
		{"a quarter of one that is smaller than it was", 25, 1, 1280, 960, false}, {"half of one that is smaller than it was", 50, 1, 1280, 960, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := build(t)
			film := b.movie(c.w, c.h)
			opt := render.Options{Background: true, Scale: c.scale, Workers: 2}
			got, want := small(t, b, film, c.percent, false, opt, 8, 11), small(t, b, film, c.percent, true, opt, 8, 11)
			differs := false
			for i := range got {
				differs = differs || !bytes.Equal(got[i].Pix, want[i].Pix)
				if s := likeness.Structural(got[i], want[i], nil); s < 0.999 {
					t.Errorf("frame %d has a structural similarity of %.5f to one of a whole film", i, s)
				}
			}
			if differs == c.same {
				t.Errorf("its pixels differ from those of a whole film: %t", differs)
			}
			// A part that another machine renders has the same pixels.
			part := small(t, b, film, c.percent, false, opt, 10, 11)
			for i := range part {
				if !bytes.Equal(part[i].Pix, got[2+i].Pix) {
					t.Errorf("frame %d of a part is not that of the whole", i)
				}
			}
		})
	}
}

// TestHowAFilmIsDecodedIsPartOfAFramesAddress has a project whose second layer, which begins late, shows the same film larger: then it is decoded whole.
func TestHowAFilmIsDecodedIsPartOfAFramesAddress(t *testing.T) {
	b := build(t)
	film := b.movie(640, 480)
	kept := &shelf{}
	for i, c := range []struct {
		percent float64
		reused  int
	}{{20, 0}, {24, 10}, {50, 0}, {20, 20}} {
		comp := b.comp("main", 320, 240)
		comp.ID, comp.Comp.Duration = 1000, 2
		b.layer(comp, film, func(l *aep.Layer) { l.Out = 1; transform(l, value("ADBE Scale", 25, 25)) })
		b.layer(comp, film, func(l *aep.Layer) { l.In, l.Out = 1, 2; transform(l, value("ADBE Scale", c.percent, c.percent)) })
		aep.Complete(b.p)
		if got := drawnWith(t, kept, b, comp, render.Options{}); got != c.reused {
			t.Errorf("render %d: %d frames were used again, want %d", i, got, c.reused)
		}
		b.p.Items = b.p.Items[:1]
	}
}
