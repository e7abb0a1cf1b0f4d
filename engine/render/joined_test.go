package render_test

import (
	"math"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
	"overcrank/engine/scene"
)

// stageSet puts things to see into a composition of 100 by 100 pixels, as children of the layer with an id, if that is not 0.
func stageSet(b *builder, comp *aep.Item, parent uint32) {
	for _, l := range []*aep.Layer{
		b.deep(comp, b.solid("left", 50, 30, rgb(red)), 40, 50, 20, value("ADBE Rotate Y", 35)),
		b.deep(comp, b.picture("quarters.png", quarters(40, 50)), 60, 45, 0, value("ADBE Rotate X", -30)),
		b.deep(comp, b.solid("back", 80, 20, rgb(blue)), 50, 60, 30),
	} {
		l.Parent = parent
		children(l, group("ADBE Material Options Group", value("ADBE Casts Shadows", 1)))
	}
}

// surroundings are what a composition has that its layers are seen by, and a layer that passes through the others.
func surroundings(b *builder, comp *aep.Item) {
	b.camera(comp, value("ADBE Position", 70, 30, -150), value("ADBE Anchor Point", 50, 50, 10), 130)
	camera := comp.Comp.Layers[len(comp.Comp.Layers)-1].Props.Child("ADBE Camera Options Group")
	camera.Children = append(camera.Children, value("ADBE Camera Depth of Field", 1), value("ADBE Camera Focus Distance", 120))
	b.light(comp, scene.PointLight, value("ADBE Position", 20, 10, -120), nil, value("ADBE Casts Shadows", 1))
}

func differ(a, b *raster.Image) (worst int) {
	for i := range a.Pix {
		d := int(a.Pix[i]) - int(b.Pix[i])
		worst = max(worst, d, -d)
	}
	return worst
}

// The layers of a collapsed composition are seen as if they were in the one that shows it, as children of a null that is placed as it is.
func TestLayersOfACollapsedCompositionJoinTheSpaceAroundIt(t *testing.T) {
	for name, place := range map[string]struct {
		deep bool
		set  []*aep.Property
	}{
		"3D": {true, []*aep.Property{value("ADBE Position", 55, 48, 15), value("ADBE Rotate Y", 25), value("ADBE Rotate X", 10), value("ADBE Scale", 90, 90, 90)}},
		"2D": {false, []*aep.Property{value("ADBE Position", 45, 52), value("ADBE Scale", 110, 110)}},
	} {
		for _, bits := range []int{8, 32} {
			b := build(t)
			b.p.BitsPerChannel = bits
			inner := b.comp("inner", 100, 100)
			stageSet(b, inner, 0)
			b.camera(inner, value("ADBE Position", 0, 0, -50), nil, 20) // which is not looked through
			collapsed, plain := b.comp("collapsed", 100, 100), b.comp("plain", 100, 100)
			surroundings(b, collapsed)
			surroundings(b, plain)
			b.deep(collapsed, b.solid("through", 70, 70, rgb(green)), 50, 50, 20, value("ADBE Rotate Z", 20))
			b.deep(plain, b.solid("through", 70, 70, rgb(green)), 50, 50, 20, value("ADBE Rotate Z", 20))
			b.layer(collapsed, inner, func(l *aep.Layer) {
				l.Collapse, l.ThreeD = true, place.deep
				for _, p := range place.set {
					transform(l, p)
				}
			})
			null := b.layer(plain, b.solid("null", 100, 100, rgb(white)), func(l *aep.Layer) {
				l.Null, l.ThreeD = true, place.deep
				for _, p := range place.set {
					transform(l, p)
				}
			})
			stageSet(b, plain, null.ID)
			got, want := oneFrame(t, b.renderer(collapsed, render.Options{}), 0), oneFrame(t, b.renderer(plain, render.Options{}), 0)
			if d := differ(got, want); d > 1 {
				t.Errorf("%s, %d bits: pixels differ by %d", name, bits, d)
			}
			if said := b.said(collapsed); strings.Contains(strings.Join(said, "\n"), "a collapsed composition") {
				t.Errorf("%s: %q", name, said)
			}
			seen := 0
			for i := 3; i < len(want.Pix); i += 4 {
				if want.Pix[i] > 200 {
					seen++
				}
			}
			if seen < 500 {
				t.Errorf("%s: only %d pixels are seen", name, seen)
			}
		}
	}
}

// Layers without depth in a collapsed 3D composition lie in its plane, in their order, also outside of its frame.
func TestFlatLayersOfACollapsed3DCompositionLieInItsPlane(t *testing.T) {
	b := build(t)
	inner, comp := b.comp("inner", 60, 60), b.comp("main", 200, 200)
	b.layer(inner, b.solid("above", 20, 20, rgb(green)), func(l *aep.Layer) { transform(l, value("ADBE Position", 10, 30)) })
	b.layer(inner, b.solid("below", 100, 30, rgb(red)), func(l *aep.Layer) { transform(l, value("ADBE Position", 30, 30)) })
	b.deep(comp, inner, 100, 100, 0, value("ADBE Rotate Y", 50)).Collapse = true
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	zoom := 200 * 50.0 / 36
	sin, cos := math.Sincos(50 * math.Pi / 180)
	at := func(x, y float64) (int, int) { // of a pixel of the inner composition
		k := zoom / (zoom - (x-30)*sin)
		return int(100 + (x-30)*cos*k), int(100 + (y-30)*k)
	}
	for _, c := range []struct {
		x, y float64
		want string
	}{{10, 30, "green"}, {2, 22, "green"}, {-17, 30, "red"}, {77, 43, "red"}, {22, 30, "red"}, {-22, 30, ""}, {77, 47, ""}} {
		x, y := at(c.x, c.y)
		want := map[string]spot{"green": {x, y, green}, "red": {x, y, red}, "": {x, y, clear}}[c.want]
		check(t, img, want)
	}
}

func TestTheOpacityOfACollapsedCompositionIsThatOfItsLayers(t *testing.T) {
	b := build(t)
	inner, comp := b.comp("inner", 100, 100), b.comp("main", 100, 100)
	b.deep(inner, b.solid("red", 40, 40, rgb(red)), 50, 50, 0)
	b.layer(comp, inner, func(l *aep.Layer) {
		l.Collapse = true
		transform(l, value("ADBE Opacity", 40))
	})
	if a := oneFrame(t, b.renderer(comp, render.Options{}), 0).RGBAAt(50, 50).A; a < 101 || a > 103 {
		t.Errorf("an alpha of %d, want 102", a)
	}
}

func TestCollapsedCompositionsThatCanNotJoinAreSaid(t *testing.T) {
	b := build(t)
	inner, comp := b.comp("inner", 40, 40), b.comp("main", 40, 40)
	b.deep(inner, b.solid("red", 20, 20, rgb(red)), 20, 20, 0)
	b.layer(comp, inner, func(l *aep.Layer) { l.Collapse, l.Blend = true, aep.BlendScreen })
	if said := strings.Join(b.said(comp), "\n"); !strings.Contains(said, "the depth of 3D layers in a collapsed composition") {
		t.Errorf("%q", said)
	}
}

func TestJoinedLayersThatMoveAreDrawnAnewAndBlurred(t *testing.T) {
	b := build(t)
	inner, comp := b.comp("inner", 60, 60), b.exposing(100, 60, 180, -90)
	for range 2 {
		b.deep(inner, b.picture("quarters.png", quarters(30, 30)), 30, 30, 5).MotionBlur = true
	}
	b.layer(comp, inner, func(l *aep.Layer) {
		l.Collapse, l.ThreeD = true, true
		transform(l, linear(value("ADBE Position"), 0, 1, aep.Numbers{20, 30, 0}, aep.Numbers{80, 30, 50}))
	})
	if err := sameAlone(b.p, comp, render.Options{Workers: 3, Footage: openFile}, 10, 1); err != nil {
		t.Fatal(err)
	}
	r := b.renderer(comp, render.Options{Workers: 2})
	soft := 0
	err := r.Frames(t.Context(), 2, 8, 1, func(_ int, img *raster.Image) error {
		for x := range 100 {
			if a := img.RGBAAt(x, 30).A; a > 20 && a < 235 {
				soft++
			}
		}
		return nil
	})
	if err != nil || r.Repeated() != 0 || soft < 14 {
		t.Errorf("%d frames were repeated, %v, %d pixels are blurred", r.Repeated(), err, soft)
	}
}
