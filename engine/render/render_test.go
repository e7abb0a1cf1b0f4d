package render_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
	"overcrank/engine/render"
	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var (
	red   = color.RGBA{255, 0, 0, 255}
	green = color.RGBA{0, 255, 0, 255}
	blue  = color.RGBA{0, 0, 255, 255}
	white = color.RGBA{255, 255, 255, 255}
	black = color.RGBA{0, 0, 0, 255}
	clear = color.RGBA{}
)

func rgb(c color.RGBA) [3]float64 {
	return [3]float64{float64(c.R) / 255, float64(c.G) / 255, float64(c.B) / 255}
}

// spot is a pixel and the colour it must have.
type spot struct {
	x, y int
	want color.RGBA
}

func check(t *testing.T, img *raster.Image, spots ...spot) {
	t.Helper()
	const rounding = 2
	for _, s := range spots {
		got := img.RGBAAt(s.x, s.y)
		for _, d := range []int{int(got.R) - int(s.want.R), int(got.G) - int(s.want.G), int(got.B) - int(s.want.B), int(got.A) - int(s.want.A)} {
			if d > rounding || d < -rounding {
				t.Errorf("at %d, %d: %v, want %v", s.x, s.y, got, s.want)
				break
			}
		}
	}
}

func TestLayersLieOverEachOther(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.solid("small", 40, 40, rgb(red)), func(l *aep.Layer) {
		transform(l, value("ADBE Position", 30, 30))
	})
	b.layer(comp, b.solid("half", 100, 100, rgb(blue)), func(l *aep.Layer) { transform(l, value("ADBE Opacity", 50)) })
	b.layer(comp, b.solid("back", 60, 100, rgb(green)), nil)
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	check(t, img, spot{30, 30, red}, spot{70, 50, color.RGBA{0, 128, 128, 255}}, spot{5, 90, color.RGBA{0, 0, 128, 128}})
}

func TestTheBackgroundIsTheMainCompositionsOnly(t *testing.T) {
	b := build(t)
	inner := b.comp("inner", 50, 50)
	inner.Comp.Background = rgb(green)
	comp := b.comp("main", 100, 100)
	comp.Comp.Background = rgb(blue)
	b.layer(comp, inner, nil)
	check(t, oneFrame(t, b.renderer(comp, render.Options{Background: true}), 0), spot{50, 50, blue})
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{50, 50, clear})
}

func TestWhatIsNotToBeSeenIsNotDrawn(t *testing.T) {
	for name, change := range map[string]func(l *aep.Layer){
		"eye closed":   func(l *aep.Layer) { l.Enabled = false },
		"guide":        func(l *aep.Layer) { l.Guide = true },
		"null":         func(l *aep.Layer) { l.Null = true },
		"before in":    func(l *aep.Layer) { l.In = 0.1 },
		"at out":       func(l *aep.Layer) { l.Out = 0 },
		"transparent":  func(l *aep.Layer) { transform(l, value("ADBE Opacity", 0)) },
		"flat":         func(l *aep.Layer) { transform(l, value("ADBE Scale", 0, 100)) },
		"beside":       func(l *aep.Layer) { transform(l, value("ADBE Position", 500, 500)) },
		"others alone": func(l *aep.Layer) {},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			comp := b.comp("main", 40, 40)
			b.layer(comp, b.solid("red", 40, 40, rgb(red)), change)
			b.layer(comp, b.solid("green", 40, 40, rgb(green)), func(l *aep.Layer) { l.Solo = name == "others alone" })
			check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{20, 20, green})
		})
	}
}

func TestLayersBeginAndEndOnTheirFrames(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 10, 10)
	comp.Comp.FrameTicks, comp.Comp.TicksPerSecond = 800, 23976
	b.layer(comp, b.solid("red", 10, 10, rgb(red)), func(l *aep.Layer) {
		l.In, l.Out = 30*800.0/23976, 60*800.0/23976
	})
	r := b.renderer(comp, render.Options{})
	for n, want := range map[int]color.RGBA{29: clear, 30: red, 59: red, 60: clear} {
		check(t, oneFrame(t, r, n), spot{5, 5, want})
	}
}

func TestPicturesAreScaledTurnedAndKept(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 200, 100)
	b.layer(comp, b.picture("quarters.png", quarters(400, 400)), func(l *aep.Layer) {
		transform(l, value("ADBE Scale", 20, 20))
		transform(l, value("ADBE Position", 50, 50))
		transform(l, value("ADBE Rotate Z", 90))
	})
	r := b.renderer(comp, render.Options{})
	for n := range 3 { // the second and third come from what is kept
		check(t, oneFrame(t, r, n), spot{30, 30, blue}, spot{70, 30, red}, spot{70, 70, green}, spot{30, 70, white}, spot{95, 50, clear})
	}
	half := b.renderer(comp, render.Options{Scale: 0.5})
	if w, h := half.Size(); w != 100 || h != 50 {
		t.Errorf("half size is %d by %d", w, h)
	}
	check(t, oneFrame(t, half, 0), spot{15, 15, blue}, spot{35, 35, green})
}

func TestNestedCompositionsRunInTheirLayersTime(t *testing.T) {
	b := build(t)
	inner := b.comp("inner", 20, 20)
	b.layer(inner, b.solid("late", 20, 20, rgb(red)), func(l *aep.Layer) { l.In = 2 })
	comp := b.comp("main", 40, 40)
	b.layer(comp, inner, func(l *aep.Layer) { l.Start, l.Stretch = 1, 50 })
	r := b.renderer(comp, render.Options{})
	check(t, oneFrame(t, r, 19), spot{20, 20, clear})
	check(t, oneFrame(t, r, 20), spot{20, 20, red}, spot{5, 5, clear})
	comp.Comp.Layers[0].Props.Children = append(comp.Comp.Layers[0].Props.Children,
		linear(value("ADBE Time Remapping"), 0, 9, aep.Numbers{5}, aep.Numbers{0}))
	comp.Comp.Layers[0].Stretch = 100
	r = b.renderer(comp, render.Options{})
	check(t, oneFrame(t, r, 15), spot{20, 20, red})
	check(t, oneFrame(t, r, 90), spot{20, 20, clear})
}

func TestCollapsedCompositionsKeepWhatLiesOutsideTheirFrame(t *testing.T) {
	for _, collapse := range []bool{false, true} {
		b := build(t)
		inner := b.comp("inner", 20, 20)
		b.layer(inner, b.solid("wide", 60, 10, rgb(red)), nil)
		comp := b.comp("main", 100, 100)
		b.layer(comp, inner, func(l *aep.Layer) { l.Collapse = collapse })
		want := clear
		if collapse {
			want = red
		}
		check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{50, 50, red}, spot{30, 50, want})
	}
}

func TestACompositionWithinItselfIsLeftOutWithAWarning(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 20, 20)
	b.layer(comp, comp, nil)
	b.layer(comp, comp, nil)
	var said []string
	r := b.renderer(comp, render.Options{Warn: func(m string) { said = append(said, m) }})
	oneFrame(t, r, 0)
	b.sounds(r)
	if len(said) != 1 {
		t.Errorf("said %q", said)
	}
}

func TestMasks(t *testing.T) {
	for _, c := range []struct {
		name          string
		masks         []aep.MaskInfo
		left, mid     color.RGBA
		right, corner color.RGBA
	}{
		{"add", []aep.MaskInfo{{Mode: aep.MaskAdd}}, red, red, clear, clear},
		{"add inverted", []aep.MaskInfo{{Mode: aep.MaskAdd, Inverted: true}}, clear, clear, red, red},
		{"two added", []aep.MaskInfo{{Mode: aep.MaskAdd}, {Mode: aep.MaskAdd}}, red, red, red, clear},
		{"subtracted", []aep.MaskInfo{{Mode: aep.MaskAdd}, {Mode: aep.MaskSubtract}}, red, clear, clear, clear},
		{"subtracted first", []aep.MaskInfo{{Mode: aep.MaskSubtract}}, clear, clear, red, red},
		{"intersected", []aep.MaskInfo{{Mode: aep.MaskAdd}, {Mode: aep.MaskIntersect}}, clear, red, clear, clear},
		{"difference", []aep.MaskInfo{{Mode: aep.MaskAdd}, {Mode: aep.MaskDifference}}, red, clear, red, clear},
		{"none", []aep.MaskInfo{{Mode: aep.MaskNone}}, red, red, red, red},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := build(t)
			comp := b.comp("main", 100, 100)
			b.layer(comp, b.solid("red", 100, 100, rgb(red)), func(l *aep.Layer) {
				places := []*aep.Path{square(10, 10, 60, 90), square(40, 10, 90, 90)}
				for i, info := range c.masks {
					masked(l, info, places[i])
				}
				for _, m := range l.Props.Child("ADBE Mask Parade").Children {
					m.Enabled = true
				}
			})
			r := b.renderer(comp, render.Options{})
			for n := range 3 {
				check(t, oneFrame(t, r, n), spot{20, 50, c.left}, spot{50, 50, c.mid}, spot{80, 50, c.right}, spot{5, 5, c.corner})
			}
		})
	}
}

func TestMasksCanBeSoftWideAndFaint(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	l := b.layer(comp, b.solid("red", 100, 100, rgb(red)), nil)
	masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(30, 30, 70, 70),
		value("ADBE Mask Offset", 10), value("ADBE Mask Opacity", 50), value("ADBE Mask Feather", 8, 8))
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	check(t, img, spot{50, 50, color.RGBA{128, 0, 0, 128}}, spot{25, 50, color.RGBA{128, 0, 0, 128}}, spot{5, 50, clear})
	if edge := img.RGBAAt(20, 50).A; edge < 40 || edge > 90 {
		t.Errorf("the soft edge has an alpha of %d", edge)
	}
}

func TestTrackMattes(t *testing.T) {
	for _, c := range []struct {
		name         string
		matte        aep.MatteKind
		inside, side color.RGBA
	}{
		{"alpha", aep.MatteAlpha, red, clear},
		{"alpha inverted", aep.MatteAlphaInverted, clear, red},
		{"luma of grey", aep.MatteLuma, color.RGBA{128, 0, 0, 128}, clear},
		{"luma inverted", aep.MatteLumaInverted, color.RGBA{127, 0, 0, 127}, red},
	} {
		for _, named := range []bool{false, true} {
			b := build(t)
			comp := b.comp("main", 100, 100)
			matte := b.layer(comp, b.solid("matte", 40, 40, [3]float64{0.502, 0.502, 0.502}), func(l *aep.Layer) { l.Enabled = false })
			if named {
				b.layer(comp, nil, func(l *aep.Layer) { l.Null = true })
			}
			b.layer(comp, b.solid("red", 100, 100, rgb(red)), func(l *aep.Layer) {
				l.Matte = c.matte
				if named {
					l.MatteLayer = matte.ID
				}
			})
			t.Run(c.name, func(t *testing.T) {
				check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{50, 50, c.inside}, spot{10, 50, c.side})
			})
		}
	}
}

func TestBlendModesMixWithWhatLiesBelow(t *testing.T) {
	for mode, want := range map[aep.BlendMode]color.RGBA{
		aep.BlendNormal: red, aep.BlendAdd: {255, 255, 0, 255}, aep.BlendMultiply: black, aep.BlendScreen: {255, 255, 0, 255},
	} {
		b := build(t)
		comp := b.comp("main", 20, 20)
		b.layer(comp, b.solid("red", 10, 20, rgb(red)), func(l *aep.Layer) { l.Blend = mode })
		b.layer(comp, b.solid("green", 20, 20, rgb(green)), nil)
		check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{10, 10, want}, spot{2, 10, green})
	}
}

func TestShapesFillAndStrokeInTheirOrder(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 200, 100)
	b.layer(comp, nil, func(l *aep.Layer) {
		l.Kind = aep.LayerShape
		l.Props.Children = append(l.Props.Children, group("ADBE Root Vectors Group",
			group("ADBE Vector Group",
				group("ADBE Vectors Group",
					group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", 40, 40)),
					group("ADBE Vector Graphic - Stroke", value("ADBE Vector Stroke Color", 0, 0, 1, 1), value("ADBE Vector Stroke Width", 8)),
					group("ADBE Vector Graphic - Fill", value("ADBE Vector Fill Color", 1, 0, 0, 1)),
				),
				group("ADBE Vector Transform Group", value("ADBE Vector Position", -50, 0), value("ADBE Vector Rotation", 45)),
			),
			group("ADBE Vector Shape - Ellipse", value("ADBE Vector Ellipse Size", 20, 20)),
			group("ADBE Vector Graphic - Fill", value("ADBE Vector Fill Color", 0, 1, 0, 1)),
		))
	})
	// The last fill paints the rectangle too, below its own.
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0),
		spot{50, 50, red}, spot{50, 50 - 28, blue}, spot{50 - 25, 50 - 25, clear}, spot{100, 50, green})
}

func TestFootageThatCanNotBeReadIsLeftOutWithAWarning(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 20, 20)
	pic := b.picture("gone.png", quarters(4, 4))
	pic.Footage.File.Resolved += ".missing"
	b.layer(comp, pic, func(l *aep.Layer) { l.Name = "two\nlines" })
	b.layer(comp, b.solid("red", 20, 20, rgb(red)), nil)
	var said []string
	r := b.renderer(comp, render.Options{Warn: func(m string) { said = append(said, m) }})
	check(t, oneFrame(t, r, 0), spot{10, 10, red})
	if len(said) != 1 || !strings.Contains(said[0], "gone.png") || strings.Contains(said[0], "\n") {
		t.Errorf("said %q", said)
	}
}

func TestEffects(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.solid("red", 20, 20, rgb(red)), func(l *aep.Layer) {
		transform(l, value("ADBE Position", 20, 20))
		l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade",
			group("ADBE Fill", value("ADBE Fill-0002", 0, 0, 1, 1)),
			group("ADBE Drop Shadow", value("ADBE Drop Shadow-0002", 255), value("ADBE Drop Shadow-0003", 90), value("ADBE Drop Shadow-0004", 20))))
	})
	b.layer(comp, b.solid("turned", 20, 20, [3]float64{0.2, 0.3, 1}), func(l *aep.Layer) {
		transform(l, value("ADBE Position", 80, 80))
		l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Change To Color",
			value("ADBE Change To Color-0001", 0.2, 0.3, 1, 1), value("ADBE Change To Color-0002", 0, 1, 0, 1), value("ADBE Change To Color-0003", 4))))
	})
	b.layer(comp, b.solid("tinted", 20, 20, [3]float64{0.5, 0.5, 0.5}), func(l *aep.Layer) {
		transform(l, value("ADBE Position", 80, 20))
		l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Tint", value("ADBE Tint-0002", 1, 0, 0, 1))))
	})
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0),
		spot{20, 20, blue}, spot{40, 20, black}, spot{20, 40, clear}, spot{80, 80, green}, spot{80, 20, color.RGBA{128, 0, 0, 255}})
}

// TestEffectsComeBeforeTheTransformOfPixelsAndAfterThatOfOutlines turns a layer by 90 degrees: the shadow that falls to the right of a
// solid falls below it, that of a shape stays to its right.
func TestEffectsComeBeforeTheTransformOfPixelsAndAfterThatOfOutlines(t *testing.T) {
	shadow := func(l *aep.Layer) {
		transform(l, value("ADBE Position", 50, 50))
		transform(l, value("ADBE Rotate Z", 90))
		transform(l, value("ADBE Scale", 200, 200))
		l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade",
			group("ADBE Drop Shadow", value("ADBE Drop Shadow-0002", 255), value("ADBE Drop Shadow-0003", 90), value("ADBE Drop Shadow-0004", 10))))
	}
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.solid("red", 10, 10, rgb(red)), shadow)
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0),
		spot{50, 50, red}, spot{50, 65, black}, spot{70, 50, clear}) // ten pixels of the layer, at twice their size

	comp = b.comp("outlines", 100, 100)
	b.layer(comp, nil, func(l *aep.Layer) {
		l.Kind = aep.LayerShape
		shadow(l)
		l.Props.Children = append(l.Props.Children, group("ADBE Root Vectors Group",
			group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", 10, 10)),
			group("ADBE Vector Graphic - Fill", value("ADBE Vector Fill Color", 1, 0, 0, 1)),
		))
	})
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0),
		spot{50, 50, red}, spot{65, 50, black}, spot{50, 65, clear}) // ten pixels of the composition
}

func TestGradientRamps(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 50)
	ramp := func(more ...*aep.Property) func(l *aep.Layer) {
		return func(l *aep.Layer) {
			children(l, group("ADBE Effect Parade", group("ADBE Ramp", append(more, value("ADBE Ramp-0002", 1, 0, 0, 1), value("ADBE Ramp-0004", 0, 0, 1, 1))...)))
		}
	}
	b.layer(comp, b.solid("linear", 40, 40, rgb(green)), func(l *aep.Layer) {
		ramp(value("ADBE Ramp-0001", 0, 0), value("ADBE Ramp-0003", 40, 0))(l)
		transform(l, value("ADBE Position", 25, 25))
	})
	b.layer(comp, b.solid("radial", 40, 40, rgb(green)), func(l *aep.Layer) {
		ramp(value("ADBE Ramp-0001", 20, 20), value("ADBE Ramp-0003", 20, 35), value("ADBE Ramp-0005", 2), value("ADBE Ramp-0007", 0.5))(l)
		transform(l, value("ADBE Position", 75, 25))
	})
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{5, 10, color.RGBA{252, 0, 3, 255}}, spot{25, 40, color.RGBA{124, 0, 131, 255}},
		spot{44, 25, color.RGBA{3, 0, 252, 255}}, spot{2, 2, clear},
		spot{75, 25, color.RGBA{122, 128, 5, 255}}, spot{60, 10, color.RGBA{0, 128, 128, 255}})
}

func TestInvert(t *testing.T) {
	for channel, want := range map[float64]color.RGBA{1: {0, 255, 255, 255}, 2: black, 3: {255, 255, 0, 255}, 9: {128, 128, 128, 255}, 5: red} {
		b := build(t)
		comp := b.comp("main", 10, 10)
		b.layer(comp, b.solid("red", 10, 10, rgb(red)), func(l *aep.Layer) {
			children(l, group("ADBE Effect Parade", group("ADBE Invert", value("ADBE Invert-0001", channel))))
		})
		check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{5, 5, want})
	}
}

func TestAdjustmentLayersChangeWhatLiesBelowWithinTheirMask(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.solid("above", 10, 10, rgb(red)), nil)
	adjust := b.layer(comp, b.solid("adjust", 100, 100, rgb(white)), func(l *aep.Layer) {
		l.Adjustment = true
		l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Fill", value("ADBE Fill-0002", 0, 0, 1, 1))))
	})
	masked(adjust, aep.MaskInfo{Mode: aep.MaskAdd}, square(0, 0, 50, 100))
	b.layer(comp, b.solid("below", 100, 50, rgb(green)), nil)
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0),
		spot{20, 50, blue}, spot{80, 50, green}, spot{50, 50, red}, spot{20, 5, clear})
}

func TestAdjustmentLayersHaveBlendModesAndMattes(t *testing.T) {
	grey := color.RGBA{128, 128, 128, 255}
	for name, c := range map[string]struct {
		change        func(l *aep.Layer)
		inside, right color.RGBA
	}{
		"normal":       {func(*aep.Layer) {}, blue, blue},
		"add":          {func(l *aep.Layer) { l.Blend = aep.BlendAdd }, color.RGBA{128, 128, 255, 255}, color.RGBA{128, 128, 255, 255}},
		"half of add":  {func(l *aep.Layer) { l.Blend = aep.BlendAdd; transform(l, value("ADBE Opacity", 50)) }, color.RGBA{128, 128, 255, 255}, color.RGBA{128, 128, 255, 255}},
		"multiply":     {func(l *aep.Layer) { l.Blend = aep.BlendMultiply }, color.RGBA{0, 0, 128, 255}, color.RGBA{0, 0, 128, 255}},
		"matte":        {func(l *aep.Layer) { l.Matte = aep.MatteAlpha }, blue, grey},
		"matte of add": {func(l *aep.Layer) { l.Matte, l.Blend = aep.MatteAlpha, aep.BlendAdd }, color.RGBA{128, 128, 255, 255}, grey},
		"inverted":     {func(l *aep.Layer) { l.Matte = aep.MatteAlphaInverted }, grey, blue},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			comp := b.comp("main", 40, 40)
			b.layer(comp, b.solid("matte", 20, 20, rgb(white)), func(l *aep.Layer) { l.Enabled = false })
			b.layer(comp, b.solid("adjust", 40, 40, rgb(white)), func(l *aep.Layer) {
				l.Adjustment = true
				l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Fill", value("ADBE Fill-0002", 0, 0, 1, 1))))
				c.change(l)
			})
			b.layer(comp, b.solid("below", 40, 30, rgb(grey)), nil)
			check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{20, 20, c.inside}, spot{35, 20, c.right}, spot{5, 38, clear})
		})
	}
}

func TestFramesComeInOrderWhateverTheWorkers(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 101, 1)
	b.layer(comp, b.solid("red", 1, 1, rgb(red)), func(l *aep.Layer) {
		transform(l, linear(value("ADBE Position"), 0, 10, aep.Numbers{0.5, 0.5}, aep.Numbers{100.5, 0.5}))
	})
	r := b.renderer(comp, render.Options{Workers: 7})
	want := 3
	err := r.Frames(context.Background(), 3, 99, 4, func(n int, img *raster.Image) error {
		if n != want {
			t.Errorf("frame %d came, want %d", n, want)
		}
		check(t, img, spot{n, 0, red})
		want += 4
		return nil
	})
	if err != nil || want != 103 {
		t.Errorf("ended before frame %d: %v", want, err)
	}
}

func TestRenderingEndsWithItsContextOrItsReader(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 50, 50)
	b.layer(comp, b.solid("red", 50, 50, rgb(red)), nil)
	r := b.renderer(comp, render.Options{Workers: 3})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := 0
	err := r.Frames(ctx, 0, 1<<30, 1, func(int, *raster.Image) error {
		if seen++; seen == 5 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
	if _, err := r.Audio(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("sounds after cancelling: %v", err)
	}
	full := errors.New("disk full")
	if err := r.Frames(context.Background(), 0, 1<<30, 1, func(int, *raster.Image) error { return full }); !errors.Is(err, full) {
		t.Errorf("after a failed write: %v", err)
	}
}

func TestImpossibleCompositionsAreRefused(t *testing.T) {
	b := build(t)
	for _, c := range []struct {
		it    *aep.Item
		scale float64
	}{{nil, 1}, {b.solid("red", 1, 1, rgb(red)), 1}, {b.comp("flat", 0, 10), 1}, {b.comp("huge", 60000, 60000), 1}, {b.comp("main", 10, 10), -1}} {
		if _, err := render.New(b.p, c.it, render.Options{Scale: c.scale}); err == nil {
			t.Errorf("%+v at %g was taken", c.it, c.scale)
		}
	}
}

// ramp is an expression that gives the time in percent.
type ramp struct{}

func (ramp) Evaluate(_ eval.Ref, _ aep.Value, t float64) (aep.Value, error) {
	if t > 5 {
		return nil, errors.New("too late")
	}
	return aep.Numbers{10 * t}, nil
}

func TestExpressionsDriveWhatIsDrawnAndTheirErrorsAreSaidOnce(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 10, 10)
	b.layer(comp, b.solid("red", 10, 10, rgb(red)), func(l *aep.Layer) {
		o := value("ADBE Opacity", 100)
		o.Expression, o.ExpressionOn = "ramp", true
		transform(l, o)
	})
	var said []string
	r := b.renderer(comp, render.Options{
		Expressions: func(*eval.Evaluator) eval.Expressions { return ramp{} }, Warn: func(m string) { said = append(said, m) },
	})
	check(t, oneFrame(t, r, 40), spot{5, 5, color.RGBA{102, 0, 0, 102}})
	check(t, oneFrame(t, r, 60), spot{5, 5, red})
	check(t, oneFrame(t, r, 61), spot{5, 5, red})
	if len(said) != 1 || !strings.Contains(said[0], "too late") {
		t.Errorf("said %q", said)
	}
}

func TestSoundsOfNestedCompositions(t *testing.T) {
	b := build(t)
	sound := b.item("a.wav", aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageFile, Duration: 4, HasAudio: true, File: aep.FileReference{Resolved: "/a.wav"},
	}})
	inner := b.comp("inner", 10, 10)
	b.layer(inner, sound, func(l *aep.Layer) { l.Start, l.In = 1, 2 })
	comp := b.comp("main", 10, 10)
	b.layer(comp, inner, func(l *aep.Layer) {
		l.Start, l.Stretch, l.Out = 3, 50, 5
		l.Props.Children = append(l.Props.Children, group("ADBE Audio Group", value("ADBE Audio Levels", -6, -9)))
	})
	b.layer(comp, sound, func(l *aep.Layer) { l.AudioEnabled = false })
	clips := b.sounds(b.renderer(comp, render.Options{}))
	if len(clips) != 1 {
		t.Fatalf("%d sounds: %+v", len(clips), clips)
	}
	// In the inner composition it is heard from 2 to 5 s, beginning 1 s into the file; outside from 4 s at twice the
	// speed, and the layer ends at 5 s.
	c := clips[0]
	if c.Path != "/a.wav" || c.At != 4 || c.Start != 1 || c.Speed != 2 || c.Length != 1 || len(c.Levels) != 1 || c.Levels[0].DB != -6 ||
		len(c.Right) != 1 || c.Right[0].DB != -9 {
		t.Errorf("heard as %+v", c)
	}
}

// Each composition shows the one before ten times: what walked them all would not end.
func TestSoundIsLookedForOnceInCompositionsThatMultiply(t *testing.T) {
	b := build(t)
	inner := b.comp("silent", 10, 10)
	for range 20 {
		outer := b.comp("outer", 10, 10)
		for range 10 {
			b.layer(outer, inner, nil)
		}
		inner = outer
	}
	main := b.comp("main", 10, 10)
	b.layer(main, inner, func(l *aep.Layer) {
		children(l, linear(value("ADBE Time Remapping", 0), 0, 1, aep.Numbers{0}, aep.Numbers{1}))
	})
	var said []string
	r := b.renderer(main, render.Options{Warn: func(m string) { said = append(said, m) }})
	if clips := b.sounds(r); len(clips) != 0 || len(said) != 0 {
		t.Errorf("%d sounds, said %q", len(clips), said)
	}
}

func TestEveryFrameOfTheSamplesCanBeDrawn(t *testing.T) {
	folder := aeptest.Samples(t)
	drawn := 0
	for _, path := range projects(t, folder) {
		p, err := aep.Open(context.Background(), path, aep.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		aep.Complete(p)
		for _, it := range p.Items {
			if it.Comp == nil {
				continue
			}
			r, err := render.New(p, it, render.Options{Scale: 48 / float64(max(48, it.Comp.Width, it.Comp.Height)), Workers: 2})
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			last := max(0, int(it.Comp.Duration*it.Comp.FrameRate)-1)
			err = r.Frames(context.Background(), 0, last, max(1, last/2), func(_ int, img *raster.Image) error {
				drawn++
				return premultiplied(img)
			})
			if _, err := r.Audio(context.Background()); err != nil {
				t.Error(err)
			}
			if err := errors.Join(err, r.Close()); err != nil {
				t.Errorf("%s, %s: %v", path, it.Name, err)
			}
		}
	}
	if drawn == 0 {
		t.Fatal("no frame was drawn")
	}
	t.Logf("%d frames drawn", drawn)
}

func premultiplied(img *image.RGBA) error {
	for i := 0; i < len(img.Pix); i += 4 {
		if a := img.Pix[i+3]; img.Pix[i] > a || img.Pix[i+1] > a || img.Pix[i+2] > a {
			return errors.New("a colour is over its alpha")
		}
	}
	return nil
}
