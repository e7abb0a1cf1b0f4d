package render_test

import (
	"context"
	"image"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// zoom100 is the zoom of a new camera in a composition 100 pixels wide.
const zoom100 = 100 * 50.0 / 36

func (b *builder) deep(comp, source *aep.Item, x, y, z float64, more ...*aep.Property) *aep.Layer {
	return b.layer(comp, source, func(l *aep.Layer) {
		l.ThreeD = true
		transform(l, value("ADBE Position", x, y, z))
		for _, p := range more {
			transform(l, p)
		}
	})
}

func (b *builder) camera(comp *aep.Item, position, target *aep.Property, zoom float64) {
	b.layer(comp, nil, func(l *aep.Layer) {
		l.Kind, l.ThreeD, l.FacesCamera = aep.LayerCamera, true, target != nil
		transform(l, position)
		if target != nil {
			transform(l, target)
		}
		children(l, group("ADBE Camera Options Group", value("ADBE Camera Zoom", zoom)))
	})
}

func TestWhatIsTwiceAsFarIsHalfAsLarge(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.deep(comp, b.solid("red", 40, 40, rgb(red)), 50, 50, zoom100)
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{50, 50, red}, spot{41, 58, red}, spot{38, 50, clear}, spot{50, 62, clear})
}

// A solid that turns about its vertical axis is seen as a trapezoid: its corners are where the projection of each is.
func TestATurnedSolidIsSeenInPerspective(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 200, 200)
	b.deep(comp, b.solid("red", 100, 100, rgb(red)), 100, 100, 0, value("ADBE Rotate Y", 50))
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	zoom := 200 * 50.0 / 36
	corner := func(x, y float64) (px, py float64) {
		sin, cos := math.Sincos(50 * math.Pi / 180)
		k := zoom / (zoom - x*sin)
		return 100 + x*cos*k, 100 + y*k
	}
	for _, c := range [][2]float64{{-50, -50}, {50, -50}, {50, 50}, {-50, 50}} {
		in, out := 0.95, 1.05
		x, y := corner(c[0]*in, c[1]*in)
		check(t, img, spot{int(x), int(y), red})
		x, y = corner(c[0]*out, c[1]*out)
		check(t, img, spot{int(x), int(y), clear})
	}
	_, left := corner(-50, 50)
	_, right := corner(50, 50)
	if !(right > left+10) {
		t.Fatalf("the test shows nothing: %v %v", left, right)
	}
}

func TestNearerLayersHideFartherOnesWhateverTheirOrder(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.deep(comp, b.solid("far", 90, 90, rgb(red)), 50, 50, 60)
	b.deep(comp, b.solid("near", 20, 20, rgb(blue)), 50, 50, -10)
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{50, 50, blue}, spot{30, 30, red})

	flat := b.comp("with a flat layer between", 100, 100)
	b.deep(flat, b.solid("far", 90, 90, rgb(red)), 50, 50, 60)
	b.layer(flat, b.solid("flat", 10, 10, rgb(green)), func(l *aep.Layer) { transform(l, value("ADBE Position", 5, 95)) })
	b.deep(flat, b.solid("near", 20, 20, rgb(blue)), 50, 50, -10)
	check(t, oneFrame(t, b.renderer(flat, render.Options{}), 0), spot{50, 50, red}, spot{5, 95, green})
}

func TestACameraLooksAtItsPointOfInterest(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	// From the right at a right angle: the solid, turned to the camera, is seen in its own size in the middle.
	b.camera(comp, value("ADBE Position", 250, 50, 0), value("ADBE Anchor Point", 50, 50, 0), 200)
	b.deep(comp, b.solid("red", 40, 20, rgb(red)), 50, 50, 0, value("ADBE Orientation", 0, 90, 0))
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{50, 50, red}, spot{32, 42, red}, spot{68, 58, red}, spot{28, 50, clear}, spot{50, 62, clear})
}

func TestALayerThatFacesTheCameraIsNeverSeenFromTheSide(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.camera(comp, value("ADBE Position", 250, 50, 0), value("ADBE Anchor Point", 50, 50, 0), 200)
	b.deep(comp, b.solid("red", 40, 20, rgb(red)), 50, 50, 0).FacesCamera = true
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{50, 50, red}, spot{32, 50, red}, spot{68, 50, red}, spot{50, 62, clear})
}

func TestWhatLiesBehindTheViewerIsNotSeen(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.deep(comp, b.solid("behind", 1000, 1000, rgb(red)), 50, 50, -zoom100-1)
	b.deep(comp, b.solid("edge on", 1000, 1000, rgb(green)), 50, 50, 0, value("ADBE Rotate Y", 90))
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	check(t, img, spot{30, 50, clear}, spot{70, 50, clear})
	// A floor below the viewer goes on behind it.
	floor := b.comp("floor", 100, 100)
	b.deep(floor, b.solid("floor", 100, 4000, rgb(red)), 50, 70, 0, value("ADBE Rotate X", 90))
	check(t, oneFrame(t, b.renderer(floor, render.Options{}), 0), spot{50, 90, red}, spot{50, 30, clear})
}

func TestOutlinesInSpaceAreSharpHoweverNear(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	l := b.layer(comp, nil, func(l *aep.Layer) {
		l.Kind, l.ThreeD = aep.LayerShape, true
		children(l, group("ADBE Root Vectors Group",
			group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", 10, 10)),
			group("ADBE Vector Graphic - Fill", value("ADBE Vector Fill Color", 1, 0, 0, 1))))
	})
	transform(l, value("ADBE Position", 50, 50, -zoom100*7/8))
	transform(l, value("ADBE Rotate Y", 1))
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	check(t, img, spot{50, 50, red}, spot{13, 50, red}, spot{87, 50, red})
	for _, edge := range []image.Rectangle{image.Rect(6, 50, 13, 51), image.Rect(87, 50, 95, 51)} {
		soft := 0
		for x := edge.Min.X; x < edge.Max.X; x++ {
			if a := img.RGBAAt(x, 50).A; a > 8 && a < 247 {
				soft++
			}
		}
		if soft > 2 {
			t.Errorf("an edge is %d pixels wide", soft)
		}
	}
}

func TestFramesFollowAMovingCamera(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	b.camera(comp, linear(value("ADBE Position", 50, 50, -200), 0, 1, aep.Numbers{50, 50, -200}, aep.Numbers{50, 50, -100}), nil, 100)
	b.deep(comp, b.solid("red", 40, 40, rgb(red)), 50, 50, 0)
	r := b.renderer(comp, render.Options{Workers: 2})
	width := func(img *raster.Image) (n int) {
		for x := range 100 {
			if img.RGBAAt(x, 50).A > 127 {
				n++
			}
		}
		return n
	}
	var seen []int
	if err := r.Frames(context.Background(), 0, 10, 5, func(_ int, img *raster.Image) error {
		seen = append(seen, width(img))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{20, 27, 40} {
		if d := seen[i] - want; d < -1 || d > 1 {
			t.Errorf("the solid is seen %v pixels wide, want 20, 27 and 40", seen)
			break
		}
	}
}
