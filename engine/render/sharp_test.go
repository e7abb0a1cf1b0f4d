package render_test

import (
	"os"
	"path/filepath"
	"testing"

	"overcrank/aep"
	"overcrank/engine/render"
)

// drawing is a footage item of an SVG picture of 10 by 10 pixels: its left half is green.
func (b *builder) drawing(name string) *aep.Item {
	path := filepath.Join(b.t.TempDir(), name)
	content := `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="10" fill="#00ff00"/></svg>`
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return b.item(name, aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageFile, Width: 10, Height: 10, HasVideo: true, Still: true, File: aep.FileReference{FullPath: path, Resolved: path},
	}})
}

// Ten times as large, the border in the middle lies between two pixels when it is drawn at that size, and fades over ten when pixels are enlarged.
func TestOutlinesAreSharpAtAnySizeOnlyIfTheyAreRasterisedContinuously(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{8, 32} {
		for name, c := range map[string]struct {
			sharp bool
			three bool
		}{"pixels": {}, "continuously": {sharp: true}, "continuously in space": {sharp: true, three: true}} {
			b := build(t)
			b.p.BitsPerChannel = depth
			comp := b.comp("main", 100, 100)
			b.layer(comp, b.drawing("half.svg"), func(l *aep.Layer) {
				l.Collapse, l.ThreeD = c.sharp, c.three
				transform(l, value("ADBE Anchor Point", 0, 0, 0))
				transform(l, value("ADBE Position", 0, 0, 0))
				transform(l, value("ADBE Scale", 1000, 1000, 1000))
			})
			img := oneFrame(t, b.renderer(comp, render.Options{Footage: openFile}), 0)
			if in, out := img.RGBAAt(30, 50), img.RGBAAt(70, 50); in.G != 255 || in.A != 255 || out.A != 0 {
				t.Errorf("%d bits, %s: %v inside and %v outside", depth, name, in, out)
			}
			left, right := img.RGBAAt(49, 50), img.RGBAAt(50, 50)
			if sharp := left.A == 255 && right.A == 0; sharp != c.sharp {
				t.Errorf("%d bits, %s: %v and %v at the border", depth, name, left, right)
			}
		}
	}
}

// As After Effects does, what is rasterised continuously is transformed before its effects: a mask follows it either way.
func TestMasksAndOpacityApplyToOutlines(t *testing.T) {
	t.Parallel()
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.drawing("half.svg"), func(l *aep.Layer) {
		l.Collapse = true
		transform(l, value("ADBE Anchor Point", 0, 0, 0))
		transform(l, value("ADBE Position", 0, 0, 0))
		transform(l, value("ADBE Scale", 1000, 1000, 1000))
		transform(l, value("ADBE Opacity", 50))
		masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(0, 0, 10, 5))
	})
	img := oneFrame(t, b.renderer(comp, render.Options{Footage: openFile}), 0)
	if in, out := img.RGBAAt(30, 30), img.RGBAAt(30, 70); in.A < 127 || in.A > 128 || out.A != 0 {
		t.Errorf("%v within the mask and %v outside", in, out)
	}
}
