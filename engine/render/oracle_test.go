package render_test

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/engine/likeness"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// tolerated is the mean difference, of 255 per channel, that each composition may have; measured, and a little more.
// Those that are missing use what is not drawn yet, or differ in the export.
var tolerated = map[string]float64{
	"TwitterHeart": 0.2, "HamburgerArrow": 0.06, "EmptyState": 0.5, "Test_Fill": 0.25,
	// The export breaks roving keys into pieces of their own speed.
	"Test_KeyframeTypes": 0.35,
	"Test_Parenting":     0.12, "Test_ShapeTypes": 0.1, "Test_Stroke": 0.15, "Test_TrackMattes": 0.06, "Test_TrimPaths": 0.3,
	"Shapes": 0.25, "Squares": 0.02, "TimeRemap": 0.3,
	// The export was made before its first layer stopped moving; in the middle of the way it lies as in the project.
	"Mask 30": 0.12,
}

func TestFramesLookLikeTheReferencePictures(t *testing.T) {
	folder := aeptest.Samples(t)
	ran := 0
	oracles, err := likeness.Oracles(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range oracles {
		if o.Kind != likeness.Picture || o.Frame < 0 {
			continue
		}
		name := fmt.Sprintf("%s %d", o.Composition, o.Frame)
		limit, ok := tolerated[o.Composition]
		if !ok {
			limit, ok = tolerated[name]
		}
		if !ok && os.Getenv("OVERCRANK_PICTURES") == "" {
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) {
			want := load(t, filepath.Join(folder, o.Path))
			got := frameAt(t, filepath.Join(folder, o.Project), o.Composition, o.Frame, want.Rect.Dx())
			if got.Rect != want.Rect {
				t.Fatalf("drawn %v, want %v", got.Rect.Size(), want.Rect.Size())
			}
			d := likeness.Difference(got, want)
			keep(t, filepath.Base(o.Path), got, want)
			t.Logf("mean difference %.2f", d)
			if d > limit {
				t.Errorf("mean difference %.2f of 255, over %.2f", d, limit)
			}
		})
	}
	if ran == 0 {
		t.Fatal("no reference picture was compared")
	}
	t.Logf("%d pictures compared", ran)
}

func frameAt(t testing.TB, project, comp string, n, width int) *raster.Image {
	t.Helper()
	p, err := aep.Open(context.Background(), project, aep.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	aep.Complete(p)
	it := p.Composition(comp)
	if it == nil {
		t.Fatalf("%s has no composition %q", project, comp)
	}
	r, err := render.New(p, it, render.Options{
		Scale: float64(width) / float64(it.Comp.Width), Workers: 1, Warn: func(m string) { t.Log(m) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return oneFrame(t, r, n)
}

func load(t testing.TB, path string) *raster.Image {
	t.Helper()
	img, err := likeness.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// keep writes a picture and its reference side by side into the folder OVERCRANK_PICTURES, for a look.
func keep(t *testing.T, name string, got, want *raster.Image) {
	folder := os.Getenv("OVERCRANK_PICTURES")
	if folder == "" {
		return
	}
	w := got.Rect.Dx()
	both := image.NewRGBA(image.Rect(0, 0, 2*w+4, got.Rect.Dy()))
	draw.Draw(both, both.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(both, got.Rect, got, image.Point{}, draw.Over)
	draw.Draw(both, want.Rect.Add(image.Pt(w+4, 0)), want, image.Point{}, draw.Over)
	f, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, both); err != nil {
		t.Fatal(err)
	}
}
