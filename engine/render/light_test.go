package render_test

import (
	"image/color"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
	"overcrank/engine/scene"
)

// light puts a light into a composition, at a place and, unless that is nil, aimed at a point.
func (b *builder) light(comp *aep.Item, kind int, position, target *aep.Property, more ...*aep.Property) {
	b.layer(comp, nil, func(l *aep.Layer) {
		l.Kind, l.ThreeD, l.FacesCamera, l.LightKind = aep.LayerLight, true, target != nil, kind
		transform(l, position)
		if target != nil {
			transform(l, target)
		}
		children(l, group("ADBE Light Options Group", more...))
	})
}

// matt is a material without highlights.
func matt(more ...*aep.Property) *aep.Property {
	return group("ADBE Material Options Group", append(more, value("ADBE Specular Coefficient", 0), value("ADBE Diffuse Coefficient", 100))...)
}

// lit draws a white solid of 100 by 100 pixels that fills the frame, in the light of what add adds.
func lit(t *testing.T, material *aep.Property, add func(b *builder, comp *aep.Item)) *raster.Image {
	t.Helper()
	b := build(t)
	comp := b.comp("main", 100, 100)
	add(b, comp)
	l := b.deep(comp, b.solid("white", 100, 100, rgb(white)), 50, 50, 0)
	children(l, material)
	return oneFrame(t, b.renderer(comp, render.Options{}), 0)
}

func grey(v float64) color.RGBA {
	k := uint8(255*max(0, min(1, v)) + 0.5)
	return color.RGBA{k, k, k, 255}
}

func TestAParallelLightFallsByLambertsLaw(t *testing.T) {
	for _, degrees := range []float64{0, 30, 60, 80} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		img := lit(t, matt(), func(b *builder, comp *aep.Item) {
			b.light(comp, scene.ParallelLight, value("ADBE Position", 50-100*sin, 50, -100*cos), value("ADBE Anchor Point", 50, 50, 0))
		})
		check(t, img, spot{50, 50, grey(cos)}, spot{3, 97, grey(cos)})
	}
}

func TestAPointLightFallsBySlantAndDistance(t *testing.T) {
	for name, c := range map[string]struct {
		more []*aep.Property
		fade func(far float64) float64
	}{
		"everywhere": {nil, func(float64) float64 { return 1 }},
		"smooth": {[]*aep.Property{value("ADBE Light Falloff Type", 2), value("ADBE Light Falloff Start", 40), value("ADBE Light Falloff Distance", 50)},
			func(far float64) float64 { return max(0, min(1, 1-(far-40)/50)) }},
		"inverse square": {[]*aep.Property{value("ADBE Light Falloff Type", 3), value("ADBE Light Falloff Start", 45)},
			func(far float64) float64 { return min(1, 45*45/(far*far)) }},
		"half as bright": {[]*aep.Property{value("ADBE Light Intensity", 50)}, func(float64) float64 { return 0.5 }},
	} {
		img := lit(t, matt(), func(b *builder, comp *aep.Item) {
			b.light(comp, scene.PointLight, value("ADBE Position", 50, 50, -40), nil, c.more...)
		})
		for _, x := range []int{2, 25, 50, 80} {
			for _, y := range []int{3, 50, 70} {
				far := math.Hypot(math.Hypot(float64(x)+0.5-50, float64(y)+0.5-50), 40)
				t.Logf("%s at %d, %d", name, x, y)
				check(t, img, spot{x, y, grey(40 / far * c.fade(far))})
			}
		}
	}
}

func TestASpotLightIsACone(t *testing.T) {
	img := lit(t, matt(), func(b *builder, comp *aep.Item) {
		b.light(comp, scene.SpotLight, value("ADBE Position", 50, 50, -30), value("ADBE Anchor Point", 50, 50, 0), value("ADBE Light Cone Angle", 90), value("ADBE Light Cone Feather 2", 0))
	})
	// The cone cuts a disc with a radius of 30 out of the layer.
	check(t, img, spot{50, 50, grey(1)}, spot{50, 77, grey(30 / math.Hypot(27.5, 30))}, spot{50, 82, black}, spot{75, 75, black}, spot{16, 50, black})
}

func TestAnAmbientLightAddsItsColour(t *testing.T) {
	img := lit(t, matt(value("ADBE Ambient Coefficient", 50)), func(b *builder, comp *aep.Item) {
		b.light(comp, scene.AmbientLight, value("ADBE Position", 0, 0, 0), nil, value("ADBE Light Color", 1, 0.5, 0, 1))
		b.light(comp, scene.AmbientLight, value("ADBE Position", 0, 0, 0), nil, value("ADBE Light Color", 0, 0, 1, 1), value("ADBE Light Intensity", 40))
	})
	check(t, img, spot{50, 50, color.RGBA{128, 64, 51, 255}})
}

func TestAHighlightHasTheColourOfItsMetal(t *testing.T) {
	for metal, want := range map[float64]color.RGBA{100: {128, 0, 0, 255}, 0: {128, 128, 128, 255}, 50: {128, 64, 64, 255}} {
		b := build(t)
		comp := b.comp("main", 100, 100)
		b.light(comp, scene.ParallelLight, value("ADBE Position", 50, 50, -100), value("ADBE Anchor Point", 50, 50, 0))
		l := b.deep(comp, b.solid("red", 100, 100, rgb(red)), 50, 50, 0)
		children(l, group("ADBE Material Options Group", value("ADBE Diffuse Coefficient", 0), value("ADBE Metal Coefficient", metal)))
		img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
		check(t, img, spot{50, 50, want})
		// Phong: the light is reflected straight back, so at an angle to the viewer the highlight is its cosine to the power of the shininess, 5.
		cos := zoom100 / math.Hypot(40.5, zoom100)
		check(t, img, spot{90, 50, color.RGBA{uint8(float64(want.R) * math.Pow(cos, 5)), uint8(float64(want.G) * math.Pow(cos, 5)), uint8(float64(want.B) * math.Pow(cos, 5)), 255}})
	}
}

func TestWhatLightDoesNotReachIsDark(t *testing.T) {
	behind := func(b *builder, comp *aep.Item) {
		b.light(comp, scene.PointLight, value("ADBE Position", 50, 50, 40), nil)
	}
	check(t, lit(t, matt(), behind), spot{50, 50, black})
	check(t, lit(t, matt(value("ADBE Light Transmission", 60)), behind), spot{50, 50, grey(0.6)})
	check(t, lit(t, matt(value("ADBE Accepts Lights", 0)), behind), spot{50, 50, white})
	check(t, lit(t, matt(), func(b *builder, comp *aep.Item) {
		behind(b, comp)
		comp.Comp.Layers[0].Enabled = false
	}), spot{50, 50, white})
}

func TestOnlyLayersInSpaceAreLit(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 40, 40)
	b.light(comp, scene.AmbientLight, value("ADBE Position", 0, 0, 0), nil, value("ADBE Light Intensity", 0))
	b.layer(comp, b.solid("flat", 10, 10, rgb(red)), nil)
	b.deep(comp, b.solid("deep", 20, 20, rgb(red)), 20, 20, 0)
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{20, 20, red}, spot{12, 20, black}, spot{2, 2, clear})
}

func TestTurnedTextsAndShapesAreLit(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.light(comp, scene.ParallelLight, value("ADBE Position", 50, 50, -100), value("ADBE Anchor Point", 50, 50, 0))
	b.layer(comp, nil, func(l *aep.Layer) {
		l.Kind, l.ThreeD = aep.LayerShape, true
		transform(l, value("ADBE Position", 50, 50, 0))
		transform(l, value("ADBE Rotate Y", 60))
		children(l, matt(), group("ADBE Root Vectors Group", group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", 60, 60)), group("ADBE Vector Graphic - Fill")))
	})
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{50, 50, color.RGBA{128, 0, 0, 255}})
}

func TestALightThatMovesIsDrawnAnew(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 40, 40)
	b.light(comp, scene.PointLight, linear(value("ADBE Position"), 0, 1, aep.Numbers{0, 20, -20}, aep.Numbers{40, 20, -20}), nil)
	for range 2 {
		b.deep(comp, b.picture("quarters.png", quarters(40, 40)), 20, 20, 0)
	}
	if err := sameAlone(b.p, comp, render.Options{Workers: 3, Footage: openFile}, 10, 1); err != nil {
		t.Fatal(err)
	}
	r := b.renderer(comp, render.Options{Workers: 2})
	if err := r.Frames(t.Context(), 0, 9, 1, func(int, *raster.Image) error { return nil }); err != nil || r.Repeated() != 0 {
		t.Errorf("%d frames were repeated, %v", r.Repeated(), err)
	}
}
