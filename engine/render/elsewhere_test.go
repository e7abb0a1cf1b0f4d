package render_test

import (
	"image"
	"image/color"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/effect"
	"overcrank/engine/raster"
	"overcrank/engine/render"
	"overcrank/engine/text"
	"overcrank/ffmpeg"
)

// effects gives a layer effects.
func effects(l *aep.Layer, list ...*aep.Property) { children(l, group("ADBE Effect Parade", list...)) }

// refersTo is a parameter that chooses a layer.
func refersTo(match string, layer uint32) *aep.Property {
	p := value(match, 1)
	p.LayerRef = layer
	return p
}

// traveller is a composition in which a square of 10 pixels moves by 10 pixels a frame, from the left, in the upper half.
func traveller(b *builder) *aep.Item {
	inner := b.comp("traveller", 100, 20)
	b.layer(inner, b.solid("square", 10, 10, rgb(red)), func(l *aep.Layer) {
		transform(l, linear(value("ADBE Position"), 0, 0.9, aep.Numbers{5, 5}, aep.Numbers{95, 5}))
	})
	return inner
}

// trail is what two echoes of a frame each leave behind the square in frame 4, each half as strong.
func trail() []spot {
	return []spot{
		{45, 5, red}, {35, 5, color.RGBA{128, 0, 0, 128}}, {25, 5, color.RGBA{64, 0, 0, 64}}, {15, 5, clear}, {55, 5, clear}, {45, 15, clear},
	}
}

func echoes() *aep.Property {
	return group("ADBE Echo", value("ADBE Echo-0001", -0.1), value("ADBE Echo-0002", 2), value("ADBE Echo-0004", 0.5), value("ADBE Echo-0005", 5))
}

// TestCCCompositeBringsBackWhatWasBeforeTheEffects inverts red, and lays half of the red over it, twice: the second finds the red too.
func TestCCCompositeBringsBackWhatWasBeforeTheEffects(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 40, 40)
	b.layer(comp, b.solid("square", 20, 20, rgb(red)), func(l *aep.Layer) {
		transform(l, value("ADBE Position", 20, 20))
		half := group("CC Composite", value("CC Composite-0001", 50))
		effects(l, group("ADBE Invert"), half, half)
	})
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{20, 20, color.RGBA{191, 64, 64, 255}}, spot{5, 5, clear})
}

func TestEchoesFollowWhatMoves(t *testing.T) {
	b := build(t)
	inner := traveller(b)
	comp := b.comp("main", 100, 20)
	b.layer(comp, inner, func(l *aep.Layer) { effects(l, echoes()) })
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 4), trail()...)
}

func TestEchoesOfAnAdjustmentLayerFollowTheLayersBelow(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 20)
	b.layer(comp, b.solid("above", 3, 3, rgb(blue)), func(l *aep.Layer) { transform(l, value("ADBE Position", 80, 15)) })
	b.layer(comp, b.solid("adjust", 100, 20, rgb(white)), func(l *aep.Layer) {
		l.Adjustment = true
		effects(l, echoes())
	})
	b.layer(comp, traveller(b), nil)
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 4), append(trail(), spot{80, 15, blue})...)
}

func TestPosterizeTimeHoldsFrames(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 20)
	b.layer(comp, traveller(b), func(l *aep.Layer) { effects(l, group("ADBE Posterize Time", value("ADBE Posterize Time-0001", 5))) })
	r := b.renderer(comp, render.Options{})
	for n, x := range map[int]int{4: 45, 5: 45, 6: 65, 7: 65} {
		check(t, oneFrame(t, r, n), spot{x, 5, red}, spot{x + 10, 5, clear}, spot{x - 10, 5, clear})
	}
}

func TestWideTimeIsTheMeanOfFrames(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 20)
	b.layer(comp, traveller(b), func(l *aep.Layer) { effects(l, group("CC Wide Time")) })
	third := color.RGBA{85, 0, 0, 85}
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 4), spot{35, 5, third}, spot{45, 5, third}, spot{55, 5, third}, spot{65, 5, clear})
}

func TestADisplacementMapIsAnotherLayer(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.picture("quarters.png", quarters(100, 100)), func(l *aep.Layer) {
		effects(l, group("ADBE Displacement Map", refersTo("ADBE Displacement Map-0001", 2),
			value("ADBE Displacement Map-0003", 30), value("ADBE Displacement Map-0004", 11)))
	})
	b.layer(comp, b.solid("red, which moves to the right", 100, 100, rgb(red)), nil)
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{70, 20, red}, spot{90, 20, green}, spot{70, 70, blue})
}

// TestAnEffectSeesAsMuchOfAnotherLayerAsItChooses cuts by the brightness of a white layer, of which a mask leaves the left half and an effect makes
// black.
func TestAnEffectSeesAsMuchOfAnotherLayerAsItChooses(t *testing.T) {
	for part, want := range map[aep.LayerPart][2]color.RGBA{
		aep.LayerSource: {red, red}, aep.LayerWithMasks: {red, clear}, aep.LayerWithEffects: {clear, clear},
	} {
		b := build(t)
		comp := b.comp("main", 100, 100)
		b.layer(comp, b.solid("cut", 100, 100, rgb(red)), func(l *aep.Layer) {
			by := refersTo("ADBE Set Matte3-0001", 2)
			by.LayerPart = part
			effects(l, group("ADBE Set Matte3", by, value("ADBE Set Matte3-0002", 5)))
		})
		b.layer(comp, b.solid("by", 100, 100, rgb(white)), func(l *aep.Layer) {
			l.Enabled = false
			masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(0, 0, 50, 100))
			effects(l, group("ADBE Invert"))
		})
		check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{20, 50, want[0]}, spot{70, 50, want[1]})
	}
}

func TestEffectsOfLayersThatChooseEachOtherEnd(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	for other := range uint32(2) {
		b.layer(comp, b.solid("cut", 100, 100, rgb(red)), func(l *aep.Layer) {
			by := refersTo("ADBE Set Matte3-0001", 2-other)
			by.LayerPart = aep.LayerWithEffects
			effects(l, group("ADBE Set Matte3", by))
		})
	}
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{50, 50, red})
}

func TestEffectsMovePixelsBeyondTheirLayer(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.solid("moved", 20, 20, rgb(red)), func(l *aep.Layer) {
		effects(l, group("ADBE Geometry2", value("ADBE Geometry2-0002", 40, 10)))
	})
	b.layer(comp, b.solid("tiled", 20, 20, rgb(green)), func(l *aep.Layer) {
		transform(l, value("ADBE Position", 50, 90))
		effects(l, group("ADBE Tile", value("ADBE Tile-0004", 300)))
	})
	b.layer(comp, b.solid("small", 80, 80, rgb(blue)), func(l *aep.Layer) {
		transform(l, value("ADBE Position", 50, 50))
		effects(l, group("ADBE Geometry2", value("ADBE Geometry2-0002", 70, -10), value("ADBE Geometry2-0003", 10)))
	})
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0),
		spot{50, 50, clear}, spot{80, 50, red}, spot{25, 90, green}, spot{75, 90, green}, spot{15, 90, clear}, spot{80, 0, blue}, spot{80, 8, clear})
}

func TestEffectsThatShowEachOthersTimesEndWithAWarning(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 20)
	b.layer(comp, traveller(b), func(l *aep.Layer) { effects(l, echoes(), echoes(), echoes()) })
	said := b.said(comp)
	if !slices.ContainsFunc(said, func(m string) bool { return strings.Contains(m, "more than two deep") }) {
		t.Errorf("said %q", said)
	}
}

// TestEffectsThatShowTooManyTimesEndWithAWarning has squares below that each ask for a hundred pictures of other times. The layer above them, which is
// drawn last, has its echoes as long as there are few, and is drawn without them when there are too many; each frame counts anew.
func TestEffectsThatShowTooManyTimesEndWithAWarning(t *testing.T) {
	for squares, many := range map[int]bool{15: false, 25: true} {
		b := build(t)
		comp := b.comp("main", 100, 20)
		b.layer(comp, traveller(b), func(l *aep.Layer) { effects(l, echoes()) })
		for i := range squares {
			b.layer(comp, b.solid("square", 2, 2, rgb(green)), func(l *aep.Layer) {
				transform(l, value("ADBE Position", float64(2+4*i), 15))
				effects(l, group("ADBE Echo", value("ADBE Echo-0001", -0.001), value("ADBE Echo-0002", 100), value("ADBE Echo-0005", 5)))
			})
		}
		spots := trail()
		if many {
			spots = []spot{{45, 5, red}, {35, 5, clear}, {25, 5, clear}}
		}
		r := b.renderer(comp, render.Options{Workers: 1})
		for range 2 {
			check(t, oneFrame(t, r, 4), append(spots[:3:3], spot{2, 15, green})...)
		}
		said := slices.ContainsFunc(b.said(comp), func(m string) bool { return strings.Contains(m, effect.ErrMany.Error()) })
		if said != many {
			t.Errorf("%d layers: told that there are too many: %v", squares, said)
		}
	}
}

// TestWhatDependsOnTheTimeIsDrawnAnew has layers whose values never change, but whose effects do.
func TestWhatDependsOnTheTimeIsDrawnAnew(t *testing.T) {
	for name, c := range map[string]struct {
		effect *aep.Property
		drawn  int
	}{
		"waves":          {group("ADBE Wave Warp"), 20},
		"standing waves": {group("ADBE Wave Warp", value("ADBE Wave Warp-0005", 0)), 1},
		"echoes":         {echoes(), 20},
		"displaced":      {group("ADBE Displacement Map", refersTo("ADBE Displacement Map-0001", 2)), 20},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			inner := b.comp("inner", 50, 50)
			b.layer(inner, b.picture("quarters.png", quarters(40, 40)), func(l *aep.Layer) { effects(l, c.effect) })
			b.layer(inner, b.solid("below", 50, 50, rgb(green)), nil)
			comp := b.comp("main", 50, 50)
			b.layer(comp, inner, nil)
			opt := render.Options{Workers: 3, Footage: openFile}
			if err := sameAlone(b.p, comp, opt, 20, 1); err != nil {
				t.Fatal(err)
			}
			r := b.renderer(comp, opt)
			if err := r.Frames(t.Context(), 0, 19, 1, func(int, *raster.Image) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if drawn := 20 - r.Repeated(); drawn != c.drawn {
				t.Errorf("%d frames were drawn, want %d", drawn, c.drawn)
			}
		})
	}
}

// chooses is a parameter that chooses a mask.
func chooses(match string, mask int) *aep.Property {
	return value(match, float64(mask))
}

func TestEffectsFollowMasks(t *testing.T) {
	for name, c := range map[string]struct {
		effect *aep.Property
		spots  []spot
	}{
		"a fill within a mask": {
			group("ADBE Fill", chooses("ADBE Fill-0001", 2), value("ADBE Fill-0002", 0, 0, 1, 1)), []spot{{20, 20, red}, {80, 80, blue}, {50, 50, red}},
		},
		"a fill around a mask": {
			group("ADBE Fill", chooses("ADBE Fill-0001", 2), value("ADBE Fill-0002", 0, 0, 1, 1), value("ADBE Fill-0006", 1)),
			[]spot{{20, 20, blue}, {80, 80, red}},
		},
		"a fill within all masks": {
			group("ADBE Fill", value("ADBE Fill-0007", 1), value("ADBE Fill-0002", 0, 0, 1, 1)), []spot{{20, 20, blue}, {80, 80, blue}, {50, 50, red}},
		},
		"a stroke": {
			group("ADBE Stroke", chooses("ADBE Stroke-0001", 1), value("ADBE Stroke-0002", 0, 1, 0, 1), value("ADBE Stroke-0003", 6), value("ADBE Stroke-0004", 1)),
			[]spot{{10, 20, green}, {30, 20, green}, {20, 20, red}, {70, 80, red}},
		},
		"half of a stroke": {
			group("ADBE Stroke", chooses("ADBE Stroke-0001", 1), value("ADBE Stroke-0002", 0, 1, 0, 1), value("ADBE Stroke-0003", 6),
				value("ADBE Stroke-0004", 1), value("ADBE Stroke-0009", 50)),
			[]spot{{20, 10, green}, {30, 20, green}, {20, 30, red}, {10, 20, red}},
		},
		"a stroke that reveals": {
			group("ADBE Stroke", value("ADBE Stroke-0010", 1), value("ADBE Stroke-0003", 6), value("ADBE Stroke-0004", 1), value("ADBE Stroke-0007", 3)),
			[]spot{{10, 20, red}, {70, 80, red}, {50, 50, clear}},
		},
		"segments": {
			group("APC Vegas", chooses("APC Vegas-0050", 1), value("APC Vegas-0052", 2), value("APC Vegas-0028", 2), value("APC Vegas-0024", 0.5),
				value("APC Vegas-0018", 0, 1, 0, 1), value("APC Vegas-0020", 8), value("APC Vegas-0022", 1), value("APC Vegas-0038", 1), value("APC Vegas-0042", 1)),
			// Each of the two is a quarter of the square long: its upper and its lower side.
			[]spot{{20, 10, green}, {20, 30, green}, {10, 20, red}, {30, 20, red}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			comp := b.comp("main", 100, 100)
			l := b.layer(comp, b.solid("red", 100, 100, rgb(red)), func(l *aep.Layer) { effects(l, c.effect) })
			masked(l, aep.MaskInfo{Mode: aep.MaskNone}, square(10, 10, 30, 30))
			masked(l, aep.MaskInfo{Mode: aep.MaskNone}, square(70, 70, 90, 90))
			check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), c.spots...)
		})
	}
}

func TestWriteOnDrawsThePathOfItsBrush(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.solid("red", 100, 100, rgb(red)), func(l *aep.Layer) {
		effects(l, group("ADBE Write-on", linear(value("ADBE Write-on-0001", 0, 0), 0, 1, aep.Numbers{10, 50}, aep.Numbers{90, 50}),
			value("ADBE Write-on-0002", 0, 1, 0, 1), value("ADBE Write-on-0003", 8), value("ADBE Write-on-0004", 1)))
	})
	r := b.renderer(comp, render.Options{})
	check(t, oneFrame(t, r, 5), spot{20, 50, green}, spot{45, 50, green}, spot{60, 50, red})
	check(t, oneFrame(t, r, 15), spot{20, 50, green}, spot{85, 50, green}, spot{50, 60, red})
}

func TestNumbersAreWrittenInAFontOfTheMachine(t *testing.T) {
	fonts, err := text.OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.solid("red", 100, 100, rgb(red)), func(l *aep.Layer) {
		effects(l, group("ADBE Numbers2", value("ADBE Numbers2-0003", 8), value("ADBE Numbers2-0004", 0), value("ADBE Numbers2-0006", 60),
			value("ADBE Numbers2-0007", 50, 70), value("ADBE Numbers2-0008", 0, 1, 0)))
	})
	img := oneFrame(t, b.renderer(comp, render.Options{Fonts: fonts}), 0)
	box := image.Rectangle{}
	for y := range 100 {
		for x := range 100 {
			if img.RGBAAt(x, y).A > 127 {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	// A figure of 60 pixels is about 43 high and 33 wide; it stands on the baseline, around the position.
	if box.Dy() < 35 || box.Dy() > 50 || box.Max.Y < 68 || box.Max.Y > 73 || box.Min.X < 28 || box.Max.X > 72 {
		t.Errorf("the number covers %v", box)
	}
	check(t, img, spot{5, 5, clear})
}

func TestASpectrumShowsTheSoundOfAnotherLayer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tone.wav")
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", "aevalsrc=0.5*sin(2*PI*600*t):s=48000:d=2", "file:"+path); err != nil {
		t.Fatal(err)
	}
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.solid("shown", 100, 100, rgb(white)), func(l *aep.Layer) {
		effects(l, group("ADBE AudSpect", refersTo("ADBE AudSpect-0001", 2), value("ADBE AudSpect-0002", 5, 80), value("ADBE AudSpect-0003", 95, 80),
			value("ADBE AudSpect-0006", 0), value("ADBE AudSpect-0007", 1000), value("ADBE AudSpect-0008", 10), value("ADBE AudSpect-0009", 100),
			value("ADBE AudSpect-0012", 4), value("ADBE AudSpect-0013", 0), value("ADBE AudSpect-0014", 0, 1, 0, 1), value("ADBE AudSpect-0017", 0),
			value("ADBE AudSpect-0021", 1)))
	})
	tone := b.item("tone.wav", aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageFile, HasAudio: true, Duration: 2, File: aep.FileReference{Resolved: path},
	}})
	b.layer(comp, tone, func(l *aep.Layer) { l.Out = 5; l.Enabled = false })
	r := b.renderer(comp, render.Options{})
	check(t, oneFrame(t, r, 10), spot{65, 50, green}, spot{25, 50, clear}, spot{25, 80, green})
	check(t, oneFrame(t, r, 40), spot{65, 50, clear}, spot{65, 80, green})

	heard := comp.Comp.Layers[1]
	heard.Start, heard.Stretch = 0, 200 // half as fast, and half as high
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 10), spot{35, 50, green}, spot{65, 50, clear})
}
