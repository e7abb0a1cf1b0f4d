package render_test

import (
	"image/color"
	"testing"

	"overcrank/aep"
	"overcrank/engine/render"
)

// stepped is a composition of 10 frames per second that is red for a second, and then green.
func (b *builder) stepped() *aep.Item {
	comp := b.comp("stepped", 20, 20)
	b.layer(comp, b.solid("green", 20, 20, rgb(green)), func(l *aep.Layer) { l.In = 1 })
	b.layer(comp, b.solid("red", 20, 20, rgb(red)), func(l *aep.Layer) { l.Out = 1 })
	return comp
}

func TestBlendedFramesDissolveIntoEachOther(t *testing.T) {
	b := build(t)
	half := color.RGBA{128, 128, 0, 255}
	for name, c := range map[string]struct {
		stretch float64
		spots   map[int]color.RGBA
	}{
		"twice as slow": {200, map[int]color.RGBA{16: red, 18: red, 19: half, 20: green, 21: green}},
		"four times as slow": {400, map[int]color.RGBA{
			36: red, 37: {191, 64, 0, 255}, 38: half, 39: {64, 191, 0, 255}, 40: green,
		}},
		"as fast":            {100, map[int]color.RGBA{9: red, 10: green}},
		"twice as fast":      {50, map[int]color.RGBA{4: red, 5: green}},
		"four times as fast": {25, map[int]color.RGBA{1: red, 2: half, 3: green}},
	} {
		for source, it := range map[string]*aep.Item{"composition": b.stepped(), "film": b.film()} {
			t.Run(name+", "+source, func(t *testing.T) {
				comp := b.comp(name+source, 20, 20)
				b.layer(comp, it, func(l *aep.Layer) { l.FrameBlend, l.Stretch = true, c.stretch })
				r := b.renderer(comp, render.Options{})
				for n, want := range c.spots {
					t.Logf("frame %d", n)
					check(t, oneFrame(t, r, n), spot{10, 10, want})
				}
			})
		}
	}
}

func TestFramesOfARemappedLayerAreBlended(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 20, 20)
	b.layer(comp, b.stepped(), func(l *aep.Layer) {
		l.FrameBlend = true
		children(l, linear(value("ADBE Time Remapping"), 0, 1, aep.Numbers{0.95}, aep.Numbers{0.95}))
	})
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 3), spot{10, 10, color.RGBA{128, 128, 0, 255}})
}

func TestTheSwitchesOfFrameBlendingCount(t *testing.T) {
	half := color.RGBA{128, 128, 0, 255}
	for _, c := range []struct {
		name        string
		layer, comp bool
		how         render.FrameBlending
		want        color.RGBA
	}{
		{"marked", true, false, render.MixMarked, half}, {"unmarked", false, true, render.MixMarked, red},
		{"enabled", true, true, render.MixEnabled, half}, {"not enabled", true, false, render.MixEnabled, red},
		{"off", true, true, render.MixNone, red},
	} {
		b := build(t)
		comp := b.comp("main", 20, 20)
		comp.Comp.FrameBlending = c.comp
		b.layer(comp, b.stepped(), func(l *aep.Layer) { l.FrameBlend, l.Stretch = c.layer, 200 })
		if got := oneFrame(t, b.renderer(comp, render.Options{FrameBlending: c.how}), 19).RGBAAt(10, 10); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestBlendedFramesAreTheSameAlone(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 20, 20)
	b.layer(comp, b.stepped(), func(l *aep.Layer) { l.FrameBlend, l.Stretch = true, 370 })
	if err := sameAlone(b.p, comp, render.Options{Workers: 3}, 45, 1); err != nil {
		t.Fatal(err)
	}
}

// TestACompositionThatKeepsItsFrameRateShowsItsOwnFrames has a box that moves by a pixel in a twentieth of a second, in a composition of two frames a second.
func TestACompositionThatKeepsItsFrameRateShowsItsOwnFrames(t *testing.T) {
	for keeps, want := range map[bool]int{false: 12, true: 10} {
		b := build(t)
		inner := b.comp("inner", 40, 20)
		inner.Comp.FrameRate, inner.Comp.FrameTicks, inner.Comp.TicksPerSecond, inner.Comp.KeepsFrameRate = 2, 0, 0, keeps
		b.layer(inner, b.solid("red", 1, 20, rgb(red)), func(l *aep.Layer) {
			transform(l, linear(value("ADBE Position"), 0, 1, aep.Numbers{0.5, 10}, aep.Numbers{20.5, 10}))
		})
		comp := b.comp("main", 40, 20)
		b.layer(comp, inner, nil)
		img := oneFrame(t, b.renderer(comp, render.Options{}), 6) // of ten a second: at 0.6 s
		at := 0
		for x := range 40 {
			if img.RGBAAt(x, 10).R > img.RGBAAt(at, 10).R {
				at = x
			}
		}
		if at != want {
			t.Errorf("the box is at %d, want %d (keeps its frame rate: %v)", at, want, keeps)
		}
	}
}
