package render_test

import (
	"context"
	"fmt"
	"image"
	"os/exec"
	"path/filepath"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/engine/eval"
	"overcrank/engine/expression"
	"overcrank/engine/footage"
	"overcrank/engine/likeness"
	"overcrank/engine/raster"
	"overcrank/engine/render"
	"overcrank/engine/text"
)

// The film is compared with After Effects' own render of the same job. Its fonts are not free and its spectrum moves to
// a sound, so that these are left out of the stricter comparison.
func TestTheJobFilmLooksLikeTheOneAfterEffectsMade(t *testing.T) {
	folder := aeptest.Samples(t, "inlife+nexrender-boilerplate")
	p, main := filmProject(t, folder)
	fonts, err := text.OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{5, 20, 40} {
		t.Run(fmt.Sprintf("%d s", at), func(t *testing.T) {
			got := drawFilm(t, p, main, fonts, at*60)
			want := frameOfFilm(t, filepath.Join(folder, "results", "output.mp4"), at)
			keep(t, fmt.Sprintf("film-%d.png", at), got, want)
			whole, rest := likeness.Structural(got, want, nil), likeness.Structural(got, want, filmTexts)
			t.Logf("structural similarity %.3f, without texts and spectrum %.3f", whole, rest)
			if whole < 0.97 || rest < 0.99 { // just less than it is
				t.Errorf("structural similarity %.3f (at least 0.97), without texts and spectrum %.3f (at least 0.99)", whole, rest)
			}
		})
	}
}

// filmTexts is where the film shows texts and its spectrum, over all its time.
var filmTexts = []image.Rectangle{
	image.Rect(60, 120, 640, 280), image.Rect(60, 560, 1010, 625), image.Rect(1040, 520, 1240, 660),
}

// filmProject is the template with the assets of film-job.json in their places.
func filmProject(t *testing.T, folder string) (*aep.Project, *aep.Item) {
	t.Helper()
	assets := filepath.Join(folder, "assets")
	p, err := aep.Open(context.Background(), filepath.Join(assets, "nm05ae12.aet"), aep.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	aep.Complete(p)
	for _, it := range p.Items {
		switch it.Name {
		case "background.jpg":
			it.Footage.File.Resolved = filepath.Join(assets, "2016-aug-deep.jpg")
		case "nm.png":
			it.Footage.File.Resolved = filepath.Join(assets, "nm.png")
		}
	}
	main := p.Composition("main")
	position := layerNamed(t, p, main, "artist").Props.Find("ADBE Transform Group", "ADBE Position")
	position.Expression, position.ExpressionOn = "[5*time,250]", true
	layerNamed(t, p, main, "track name").Props.Find("ADBE Text Properties", "ADBE Text Document").Value.(*aep.TextDocument).Text = "lorem"
	return p, main
}

func layerNamed(t *testing.T, p *aep.Project, comp *aep.Item, name string) *aep.Layer {
	t.Helper()
	for _, l := range comp.Comp.Layers {
		if p.DisplayName(l) == name {
			return l
		}
	}
	t.Fatalf("no layer %q", name)
	return nil
}

func drawFilm(t *testing.T, p *aep.Project, comp *aep.Item, fonts *text.Book, n int) *raster.Image {
	t.Helper()
	r, err := render.New(p, comp, render.Options{
		Background: true, Fonts: fonts, Warn: func(m string) { t.Log(m) },
		Expressions: func(e *eval.Evaluator) eval.Expressions {
			return expression.New(expression.Host{Project: p, Eval: e, Fonts: fonts})
		},
		Footage: func(ctx context.Context, it *aep.Item) (*footage.Source, error) {
			return footage.Open(ctx, it.Footage.File.Resolved)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return oneFrame(t, r, n)
}

func oneFrame(t testing.TB, r *render.Renderer, n int) *raster.Image {
	t.Helper()
	var out *raster.Image
	err := r.Frames(context.Background(), n, n, 1, func(_ int, img *raster.Image) error {
		out = image.NewRGBA(img.Rect)
		copy(out.Pix, img.Pix)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func frameOfFilm(t *testing.T, path string, at int) *raster.Image {
	t.Helper()
	out, err := exec.Command("ffmpeg", "-v", "error", "-ss", fmt.Sprint(at), "-i", path, "-frames:v", "1",
		"-f", "rawvideo", "-pix_fmt", "rgba", "-").Output()
	if err != nil {
		t.Skipf("ffmpeg can't read the film: %v", err)
	}
	img := image.NewRGBA(image.Rect(0, 0, 1280, 720))
	if n := copy(img.Pix, out); n < len(img.Pix)-4 {
		t.Fatalf("the film's frame has %d bytes, want %d", n, len(img.Pix))
	}
	return img
}
