package render_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// lens is a camera of the tests: 200 pixels before a composition of 200 by 100, with an aperture of 40.
type lens struct{ focus, level float64 }

func (l lens) put(b *builder, comp *aep.Item, more ...*aep.Property) {
	b.camera(comp, value("ADBE Position", 100, 50, -200), nil, 200)
	camera := comp.Comp.Layers[len(comp.Comp.Layers)-1]
	options := camera.Props.Child("ADBE Camera Options Group")
	options.Children = append(options.Children, append(more, value("ADBE Camera Depth of Field", 1), value("ADBE Camera Focus Distance", l.focus),
		value("ADBE Camera Aperture", 40), value("ADBE Camera Blur Level", l.level))...)
}

// confusion is the width of the circle as which a point at a distance is seen: rays from both edges of the aperture through the point meet the plane of
// focus so far from each other, and are seen there at the size of that distance.
func (l lens) confusion(distance float64) float64 {
	atFocus := 40 * l.level / 100 * math.Abs(1-l.focus/distance)
	return atFocus * 200 / l.focus
}

// ramp is the alpha at a place so far within an edge that is blurred by a box.
func blurredEdge(inside, width float64) float64 {
	return 255 * max(0, min(1, 0.5+inside/max(width, 1)))
}

func TestLayersAreAsUnsharpAsTheyAreFarFromTheFocus(t *testing.T) {
	for _, c := range []struct {
		lens
		z float64
	}{
		{lens{200, 100}, 0}, {lens{200, 100}, 100}, {lens{200, 100}, -80}, {lens{300, 100}, 0}, {lens{300, 100}, 100}, {lens{200, 250}, 60}, {lens{200, 0}, 60},
	} {
		for _, bits := range []int{8, 32} {
			b := build(t)
			b.p.BitsPerChannel = bits
			comp := b.comp("main", 200, 100)
			c.put(b, comp)
			// Its left edge is seen in the middle, the others far outside.
			b.deep(comp, b.solid("half", 600, 600, rgb(white)), 400, 50, c.z)
			img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
			width := c.confusion(200 + c.z)
			for x := 50; x < 150; x++ {
				want := blurredEdge(float64(x)+0.5-100, width)
				if got := float64(img.RGBAAt(x, 50).A); math.Abs(got-want) > 3 {
					t.Errorf("%+v, %d bits, at %d is %v, want %v", c, bits, x, got, want)
					break
				}
			}
		}
	}
}

// A floor is sharp where it lies in the focus, and gets unsharp on both sides of it.
func TestATiltedLayerIsUnsharpByTheDistanceOfEachPlace(t *testing.T) {
	for _, bits := range []int{8, 32} {
		b := build(t)
		b.p.BitsPerChannel = bits
		comp := b.comp("main", 200, 100)
		l := lens{220, 100}
		l.put(b, comp)
		// A wall that turns away to the right, so that its lower edge comes and goes: x = 100 + u cos, z = u sin.
		sin, cos := math.Sincos(50 * math.Pi / 180)
		b.deep(comp, b.solid("wall", 260, 400, rgb(white)), 100, -150, 0, value("ADBE Rotate Y", -50))
		img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
		tested, sharpest, softest := 0, math.Inf(1), 0.0
		for x := 40; x < 150; x++ {
			s := (float64(x) + 0.5 - 100) / 200
			u := s * 200 / (cos - s*sin) // where the ray through the column meets the wall
			distance := 200 + u*sin
			if distance < 120 || math.Abs(u) > 100 {
				continue
			}
			width := l.confusion(distance)
			tested, sharpest, softest = tested+1, min(sharpest, width), max(softest, width)
			const edge = 50 // the wall ends at the height of the viewer, and so on the horizon everywhere
			for y := 20; y < 80; y++ {
				if inside := edge - float64(y) - 0.5; width < 6 && math.Abs(inside) < 2 {
					continue // the edge itself fades over a pixel of the wall
				}
				want := blurredEdge(edge-float64(y)-0.5, width)
				if got := float64(img.RGBAAt(x, y).A); math.Abs(got-want) > 16 {
					t.Errorf("%d bits, at %d, %d is %v, want %v", bits, x, y, got, want)
					return
				}
			}
		}
		if tested < 60 || sharpest > 1 || softest < 10 {
			t.Fatalf("the test shows little: %d columns, from %v to %v", tested, sharpest, softest)
		}
	}
}

func TestLayersWithoutDepthAreNeverUnsharp(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 200, 100)
	lens{500, 300}.put(b, comp)
	b.layer(comp, b.solid("flat", 40, 40, rgb(red)), func(l *aep.Layer) { transform(l, value("ADBE Position", 100, 50)) })
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{81, 50, red}, spot{78, 50, clear}, spot{118, 31, red})
}

func TestAFocusThatMovesIsDrawnAnew(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 200, 100)
	lens{200, 100}.put(b, comp)
	options := comp.Comp.Layers[0].Props.Child("ADBE Camera Options Group")
	for i, p := range options.Children {
		if p.Match == "ADBE Camera Focus Distance" {
			options.Children[i] = linear(p, 0, 1, aep.Numbers{200}, aep.Numbers{400})
		}
	}
	for range 2 {
		b.deep(comp, b.picture("quarters.png", quarters(100, 60)), 100, 50, 40)
	}
	if err := sameAlone(b.p, comp, render.Options{Workers: 3, Footage: openFile}, 10, 1); err != nil {
		t.Fatal(err)
	}
	var seen []string
	r := b.renderer(comp, render.Options{Workers: 2})
	err := r.Frames(t.Context(), 0, 9, 1, func(_ int, img *raster.Image) error {
		seen = append(seen, fmt.Sprint(img.RGBAAt(55, 50)))
		return nil
	})
	if err != nil || r.Repeated() != 0 || seen[0] == seen[9] {
		t.Errorf("%d frames were repeated, %v: %v", r.Repeated(), err, seen)
	}
}

func TestWhatIsNotDrawnOfAnIrisIsSaid(t *testing.T) {
	b := build(t)
	plain, comp := b.comp("plain", 40, 40), b.comp("main", 40, 40)
	lens{200, 100}.put(b, plain)
	lens{200, 100}.put(b, comp, value("ADBE Iris Shape", 5), value("ADBE Iris Highlight Gain", 20))
	for _, c := range []*aep.Item{plain, comp} {
		b.deep(c, b.solid("deep", 20, 20, rgb(red)), 20, 20, 0)
	}
	if said := b.said(plain); len(said) > 0 {
		t.Errorf("%q", said)
	}
	said := strings.Join(b.said(comp), "\n")
	for _, want := range []string{"the shape of the iris", "the highlights of the iris"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said: %s", want, said)
		}
	}
}
