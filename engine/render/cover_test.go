package render_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// photo is a footage item of a JPEG, which is opaque.
func (b *builder) photo(name string, w, h int) *aep.Item {
	b.t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.SetRGBA(i%w, i/w, color.RGBA{uint8(i), uint8(i / w * 3), 90, 255})
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, nil); err != nil {
		b.t.Fatal(err)
	}
	path := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return b.item(name, aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageFile, Width: w, Height: h, HasVideo: true, Still: true, File: aep.FileReference{Resolved: path},
	}})
}

// What hides everything below it leaves the picture as it is to the last bit, whether what lies below is drawn or not: under a layer that is
// hardly transparent, so little that no pixel shows it, it is drawn.
func TestWhatIsHiddenIsNotMissed(t *testing.T) {
	for name, layers := range map[string]func(b *builder, comp *aep.Item, change func(l *aep.Layer)){
		"a solid": func(b *builder, comp *aep.Item, change func(l *aep.Layer)) {
			b.layer(comp, b.solid("wide", 60, 50, rgb(blue)), change)
		},
		"a photo": func(b *builder, comp *aep.Item, change func(l *aep.Layer)) {
			b.layer(comp, b.photo("a.jpg", 200, 150), change)
		},
		"a photo that moves and shrinks until it does not": func(b *builder, comp *aep.Item, change func(l *aep.Layer)) {
			b.layer(comp, b.photo("b.jpg", 200, 150), func(l *aep.Layer) {
				transform(l, linear(value("ADBE Scale"), 0, 2, aep.Numbers{100, 100}, aep.Numbers{10, 10}))
				transform(l, linear(value("ADBE Position"), 0, 2, aep.Numbers{25, 20}, aep.Numbers{20.3, 22.7}))
				change(l)
			})
		},
		"a photo of a few pixels": func(b *builder, comp *aep.Item, change func(l *aep.Layer)) {
			small := b.photo("c.jpg", 4, 4)
			small.Footage.Width, small.Footage.Height = 48, 48
			b.layer(comp, small, change)
		},
	} {
		t.Run(name, func(t *testing.T) {
			draw := func(drawn bool) (frames [][]byte) {
				b := build(t)
				comp := b.comp("main", 40, 30)
				b.layer(comp, b.solid("veil", 10, 10, rgb(green)), func(l *aep.Layer) { l.Blend = aep.BlendScreen })
				layers(b, comp, func(l *aep.Layer) {
					if drawn {
						transform(l, value("ADBE Opacity", 99.99999))
					}
				})
				b.layer(comp, b.solid("below", 40, 30, rgb(red)), nil)
				b.layer(comp, b.solid("turned", 40, 30, rgb(white)), func(l *aep.Layer) { transform(l, value("ADBE Rotate Z", 20)) })
				r := b.renderer(comp, render.Options{Workers: 1})
				err := r.Frames(context.Background(), 0, 20, 1, func(_ int, img *raster.Image) error {
					frames = append(frames, bytes.Clone(img.Pix))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				return frames
			}
			culled, all := draw(false), draw(true)
			for n := range all {
				if !bytes.Equal(culled[n], all[n]) {
					t.Errorf("frame %d differs", n)
				}
			}
		})
	}
}

// A photo that cannot be read hides nothing.
func TestWhatCannotBeReadHidesNothing(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 20, 20)
	broken := b.photo("broken.jpg", 100, 100)
	file, err := os.ReadFile(broken.Footage.File.Resolved)
	if err == nil { // it ends where its picture begins
		err = os.WriteFile(broken.Footage.File.Resolved, file[:bytes.Index(file, []byte{0xFF, 0xDA})], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.layer(comp, broken, nil)
	b.layer(comp, b.solid("below", 20, 20, rgb(red)), nil)
	r := b.renderer(comp, render.Options{Workers: 1})
	for n := range 3 {
		check(t, oneFrame(t, r, n), spot{10, 10, red})
	}
}

// What is hidden is not read either, so nothing is said of it.
func TestWhatIsHiddenIsNotRead(t *testing.T) {
	for name, opacity := range map[string]float64{"hidden": 100, "seen": 50} {
		b := build(t)
		comp := b.comp("main", 20, 20)
		b.layer(comp, b.solid("above", 20, 20, rgb(blue)), func(l *aep.Layer) { transform(l, value("ADBE Opacity", opacity)) })
		gone := b.photo("gone.jpg", 100, 100)
		if err := os.Remove(gone.Footage.File.Resolved); err != nil {
			t.Fatal(err)
		}
		b.layer(comp, gone, nil)
		said := 0
		r := b.renderer(comp, render.Options{Warn: func(string) { said++ }})
		oneFrame(t, r, 0)
		if (said == 0) != (name == "hidden") {
			t.Errorf("%s: %d warnings", name, said)
		}
	}
}

// TestWhatAnOpaqueRectangleHidesIsNotDrawn has a photo that cannot be decoded, of which nothing is said where it is not drawn, below what covers a part of the
// picture only.
func TestWhatAnOpaqueRectangleHidesIsNotDrawn(t *testing.T) {
	for name, test := range map[string]struct {
		bar, photo, between func(b *builder, l *aep.Layer)
		hidden              bool
	}{
		"below a bar":             {nil, nil, nil, true},
		"a little beside the bar": {nil, func(_ *builder, l *aep.Layer) { transform(l, value("ADBE Position", 31, 15)) }, nil, false},
		"below a faint bar":       {func(_ *builder, l *aep.Layer) { transform(l, value("ADBE Opacity", 99)) }, nil, nil, false},
		"below a turned bar":      {func(_ *builder, l *aep.Layer) { transform(l, value("ADBE Rotate Z", 3)) }, nil, nil, false},
		"blurred": {nil, func(_ *builder, l *aep.Layer) {
			l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Gaussian Blur", value("ADBE Gaussian Blur-0001", 50))))
		}, nil, false},
		"below what mixes": {nil, nil, func(_ *builder, l *aep.Layer) { l.Blend = aep.BlendScreen }, true},
		"below an adjustment layer": {nil, nil, func(_ *builder, l *aep.Layer) {
			l.Adjustment = true
			l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Gaussian Blur", value("ADBE Gaussian Blur-0001", 50))))
		}, false},
		"below a stencil": {nil, nil, func(_ *builder, l *aep.Layer) { l.Blend = aep.BlendStencilAlpha }, false},
	} {
		t.Run(name, func(t *testing.T) {
			draw := func(photo bool) (pix []byte, said int) {
				b := build(t)
				comp := b.comp("main", 40, 30)
				change := func(of func(b *builder, l *aep.Layer)) func(l *aep.Layer) {
					return func(l *aep.Layer) {
						if of != nil {
							of(b, l)
						}
					}
				}
				b.layer(comp, b.solid("bar", 24, 30, rgb(blue)), change(test.bar))
				b.layer(comp, b.solid("between", 40, 30, rgb(green)), change(test.between))
				if test.between == nil {
					comp.Comp.Layers[1].Enabled = false
				}
				broken := b.photo("broken.jpg", 10, 10)
				file, err := os.ReadFile(broken.Footage.File.Resolved)
				if err == nil && !photo {
					err = os.WriteFile(broken.Footage.File.Resolved, file[:bytes.Index(file, []byte{0xFF, 0xDA})], 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				b.layer(comp, broken, func(l *aep.Layer) {
					change(test.photo)(l)
					transform(l, value("ADBE Position", 20, 15)) // unless it has one
				})
				b.layer(comp, b.solid("back", 40, 30, rgb(white)), func(l *aep.Layer) { transform(l, value("ADBE Opacity", 60)) })
				r := b.renderer(comp, render.Options{Workers: 1, Warn: func(string) { said++ }})
				pix = bytes.Clone(oneFrame(t, r, 0).Pix)
				return pix, said
			}
			without, said := draw(false)
			if (said == 0) != test.hidden {
				t.Errorf("%d warnings", said)
			}
			if with, _ := draw(true); test.hidden && !bytes.Equal(with, without) {
				t.Error("the photo is seen")
			}
		})
	}
}
