//go:build !race

package render_test

import (
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"overcrank/aep"
	"overcrank/engine/footage"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// heldMemory is what this program holds of the machine's memory, in bytes.
func heldMemory() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64()) - int64(sample[1].Value.Uint64())
}

// Sixty photos of 24 megapixels, twelve of which show at a time, in sizes from small to full.
func TestSixtyPhotosFitIntoAGigabyte(t *testing.T) {
	const photos, width, height = 60, 6000, 4000
	folder := t.TempDir()
	first := filepath.Join(folder, "0.jpg")
	f, err := os.Create(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(f, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b := build(t)
	comp := b.comp("main", 1280, 720)
	for i := range photos {
		path := filepath.Join(folder, fmt.Sprint(i, ".jpg"))
		if i > 0 {
			if err := os.Link(first, path); err != nil {
				t.Skipf("the folder has no links: %v", err)
			}
		}
		it := b.item(fmt.Sprint(i), aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
			Kind: aep.FootageFile, Width: width, Height: height, HasVideo: true, Still: true, File: aep.FileReference{Resolved: path},
		}})
		b.layer(comp, it, func(l *aep.Layer) {
			size := float64(10 + 90*(i%4)/3)
			transform(l, value("ADBE Scale", size, size))
			l.In, l.Out = float64(i)/10, float64(i+12)/10
		})
	}
	library := footage.NewLibrary(footage.DefaultBudget)
	r := b.renderer(comp, render.Options{Workers: 2, Footage: func(ctx context.Context, it *aep.Item) (*footage.Source, error) {
		return library.OpenAs(ctx, it.Footage.File.Resolved, footage.Interpretation{})
	}})
	defer debug.SetGCPercent(debug.SetGCPercent(render.CollectAt)) // as the engine does
	debug.FreeOSMemory()
	before, most := heldMemory(), int64(0)
	err = r.Frames(t.Context(), 0, 70, 1, func(int, *raster.Image) error {
		most = max(most, heldMemory())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MiB more than before", (most-before)>>20)
	if most-before > 1<<30 {
		t.Errorf("%d MiB were held", (most-before)>>20)
	}
}
