package render_test

import (
	"context"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/footage"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// styles gives the layer styles, all at their sharpest.
func styles(l *aep.Layer, list ...*aep.Property) {
	children(l, group("ADBE Layer Styles", list...))
}

// shadow is a hard shadow of one colour, ten pixels to the right of the layer.
func shadow(more ...*aep.Property) *aep.Property {
	return group("dropShadow/enabled", append(more, value("dropShadow/color", 0, 0, 1, 1), value("dropShadow/opacity", 100), value("dropShadow/mode2", 1),
		value("dropShadow/localLightingAngle", 180), value("dropShadow/distance", 10), value("dropShadow/blur", 0))...)
}

// styledCard draws a red card of 20 by 20 pixels in the middle of a green frame.
func styledCard(t *testing.T, opt render.Options, change func(l *aep.Layer)) *raster.Image {
	t.Helper()
	b := build(t)
	comp := b.comp("main", 60, 60)
	b.layer(comp, b.solid("card", 20, 20, rgb(red)), change)
	b.layer(comp, b.solid("below", 60, 60, rgb(green)), nil)
	return oneFrame(t, b.renderer(comp, opt), 0)
}

func TestStylesComeAfterTheTransform(t *testing.T) {
	img := styledCard(t, render.Options{}, func(l *aep.Layer) {
		styles(l, shadow())
		transform(l, value("ADBE Rotate Z", 90))
		transform(l, value("ADBE Scale", 50, 50))
	})
	check(t, img, spot{30, 30, red}, spot{42, 30, blue}, spot{38, 40, green}, spot{46, 30, green})
}

func TestAShadowLiesUnderItsLayerAndOverThoseBelow(t *testing.T) {
	img := styledCard(t, render.Options{}, func(l *aep.Layer) {
		styles(l, shadow(value("dropShadow/mode2", 11))) // screens the green
		transform(l, value("ADBE Opacity", 50))
	})
	check(t, img, spot{30, 30, color.RGBA{128, 128, 0, 255}}, spot{45, 30, color.RGBA{0, 255, 128, 255}}, spot{15, 30, green})
}

func TestAShadowUnderATransparentFillIsSeenIfTheLayerDoesNotHideIt(t *testing.T) {
	options := group("ADBE Blend Options Group", group("ADBE Adv Blend Group", value("ADBE Layer Fill Opacity2", 0)))
	img := styledCard(t, render.Options{}, func(l *aep.Layer) { styles(l, options, shadow()) })
	check(t, img, spot{38, 30, green}, spot{45, 30, blue})
	img = styledCard(t, render.Options{}, func(l *aep.Layer) { styles(l, options, shadow(value("dropShadow/layerConceals", 0))) })
	check(t, img, spot{38, 30, blue}, spot{45, 30, blue}, spot{22, 30, green})
}

func TestOverlaysMixWithWhatLiesBelowUnlessTheyAreAGroup(t *testing.T) {
	overlay := group("solidFill/enabled", value("solidFill/color", 0, 0, 1, 1), value("solidFill/mode2", 13))
	img := styledCard(t, render.Options{}, func(l *aep.Layer) {
		l.Blend = aep.BlendAdd
		styles(l, overlay)
	})
	check(t, img, spot{30, 30, white}, spot{10, 10, green})
	img = styledCard(t, render.Options{}, func(l *aep.Layer) {
		l.Blend = aep.BlendMultiply
		styles(l, overlay)
	})
	check(t, img, spot{30, 30, blue}) // black, and then the blue
	img = styledCard(t, render.Options{}, func(l *aep.Layer) {
		l.Blend = aep.BlendMultiply
		styles(l, overlay, group("ADBE Blend Options Group", group("ADBE Adv Blend Group", value("ADBE Blend Interior", 1))))
	})
	check(t, img, spot{30, 30, black}) // magenta times green
}

func TestAMatteCutsStylesToo(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 60, 60)
	b.layer(comp, b.solid("matte", 60, 30, rgb(white)), func(l *aep.Layer) {
		l.Enabled = false
		transform(l, value("ADBE Position", 30, 15))
	})
	b.layer(comp, b.solid("card", 20, 20, rgb(red)), func(l *aep.Layer) {
		l.Matte = aep.MatteAlpha
		styles(l, shadow())
	})
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{30, 25, red}, spot{45, 25, blue}, spot{30, 35, clear}, spot{45, 35, clear})
}

func TestAMatteHasItsStylesAndItsMatte(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 60, 60)
	b.layer(comp, b.solid("matte of the matte", 60, 30, rgb(white)), func(l *aep.Layer) {
		l.Enabled = false
		transform(l, value("ADBE Position", 30, 15))
	})
	b.layer(comp, b.solid("matte", 20, 20, rgb(white)), func(l *aep.Layer) {
		l.Enabled, l.Matte = false, aep.MatteAlpha
		styles(l, shadow())
	})
	b.layer(comp, b.solid("card", 60, 60, rgb(red)), func(l *aep.Layer) { l.Matte = aep.MatteAlpha })
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	check(t, img, spot{30, 25, red}, spot{45, 25, red}, spot{15, 25, clear}, spot{30, 35, clear}, spot{45, 35, clear})
}

func TestAMatteThatIsCutByItselfIsSaid(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 20, 20)
	a := b.layer(comp, b.solid("a", 20, 20, rgb(red)), func(l *aep.Layer) { l.Matte = aep.MatteAlpha })
	c := b.layer(comp, b.solid("c", 20, 20, rgb(red)), func(l *aep.Layer) { l.Matte = aep.MatteAlpha })
	a.MatteLayer, c.MatteLayer = c.ID, a.ID
	if said := b.said(comp); !slices.ContainsFunc(said, func(m string) bool { return strings.Contains(m, "a track matte that is cut by itself") }) {
		t.Errorf("said %q", said)
	}
}

func TestStylesOfTextsShapesPicturesAndCompositions(t *testing.T) {
	b := build(t)
	inner := b.comp("inner", 20, 20)
	b.layer(inner, b.solid("red", 20, 20, rgb(red)), nil)
	for name, add := range map[string]func(comp *aep.Item){
		"composition": func(comp *aep.Item) { b.layer(comp, inner, func(l *aep.Layer) { styles(l, shadow()) }) },
		"collapsed composition": func(comp *aep.Item) {
			b.layer(comp, inner, func(l *aep.Layer) { l.Collapse = true; styles(l, shadow()) })
		},
		"shape": func(comp *aep.Item) {
			b.layer(comp, nil, func(l *aep.Layer) {
				l.Kind = aep.LayerShape
				children(l, group("ADBE Root Vectors Group", group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", 20, 20)), group("ADBE Vector Graphic - Fill")))
				styles(l, shadow())
			})
		},
		"layer in space": func(comp *aep.Item) {
			b.layer(comp, b.solid("red", 20, 20, rgb(red)), func(l *aep.Layer) {
				l.ThreeD = true
				styles(l, shadow())
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			comp := b.comp("main "+name, 60, 60)
			add(comp)
			check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{30, 30, red}, spot{45, 30, blue}, spot{15, 30, clear})
		})
	}
}

func TestAtHalfTheSizeStylesAreHalfAsLong(t *testing.T) {
	img := styledCard(t, render.Options{Scale: 0.5}, func(l *aep.Layer) { styles(l, shadow()) })
	check(t, img, spot{15, 15, red}, spot{22, 15, blue}, spot{26, 15, green})
}

func TestStylesThatChangeAreDrawnAnew(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 60, 60)
	b.layer(comp, b.solid("card", 20, 20, rgb(red)), func(l *aep.Layer) {
		styles(l, shadow(linear(value("dropShadow/distance", 0), 0, 1, aep.Numbers{0}, aep.Numbers{25})))
	})
	b.layer(comp, b.solid("below", 60, 60, rgb(green)), nil)
	if err := sameAlone(b.p, comp, render.Options{Workers: 3}, 10, 1); err != nil {
		t.Fatal(err)
	}
}

func TestAStyleThatIsOffOrWasNeverAddedIsNotDrawn(t *testing.T) {
	for name, change := range map[string]func(p *aep.Property){
		"off": func(p *aep.Property) { p.Enabled = false }, "never added": func(p *aep.Property) { p.Hidden = true },
	} {
		img := styledCard(t, render.Options{}, func(l *aep.Layer) {
			s := shadow()
			change(s)
			styles(l, s)
		})
		if got := img.RGBAAt(45, 30); got != green {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestStylesOfAnAdjustmentLayerAreSaid(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 60, 60)
	b.layer(comp, b.solid("card", 20, 20, rgb(red)), func(l *aep.Layer) {
		l.Adjustment = true
		styles(l, shadow())
	})
	if said := b.said(comp); len(said) != 1 || !strings.Contains(said[0], "layer styles of an adjustment layer is not drawn") {
		t.Errorf("said %q", said)
	}
}

// The file's pattern is one colour, half transparent, over an opaque layer.
func TestAPatternOfAPhotoshopFileLiesOverItsLayer(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 40, 30)
	const path = "../footage/photoshop/testdata/patterned.psd"
	source := b.item("card", aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageFile, Width: 20, Height: 10, HasVideo: true, Still: true, Layer: "card", File: aep.FileReference{FullPath: path, Resolved: path},
	}})
	l := b.layer(comp, source, func(l *aep.Layer) { transform(l, value("ADBE Position", 20, 15)) })
	draw := func() *raster.Image {
		return oneFrame(t, b.renderer(comp, render.Options{Footage: func(ctx context.Context, it *aep.Item) (*footage.Source, error) {
			return footage.OpenAs(ctx, it.Footage.File.Resolved, footage.Interpretation{Layer: footage.PhotoshopLayer{Name: it.Footage.Layer, Width: 20, Height: 10}})
		}}), 0)
	}
	plain := draw().RGBAAt(20, 15)
	overlay := group("patternFill/enabled")
	children(l, group("ADBE Layer Styles", overlay))
	mixed := func(was, tile uint8, share float64) float64 { return float64(was) + (float64(tile)-float64(was))*share }
	for opacity, share := range map[float64]float64{100: 128.0 / 255, 50: 64.0 / 255} {
		overlay.Children = []*aep.Property{value("patternFill/opacity", opacity)}
		got := draw()
		c := got.RGBAAt(20, 15)
		for _, v := range [][2]float64{{float64(c.R), mixed(plain.R, 0, share)}, {float64(c.G), mixed(plain.G, 200, share)}, {float64(c.B), mixed(plain.B, 100, share)}} {
			if math.Abs(v[0]-v[1]) > 2 {
				t.Errorf("opacity %v: %v over %v", opacity, c, plain)
			}
		}
		check(t, got, spot{5, 15, clear})
	}
}
