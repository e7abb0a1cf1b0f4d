package render_test

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/render"
	"overcrank/engine/text/texttest"
)

// blocks are two characters of which each is a rectangle.
var blocks = &aep.TextDocument{Text: "■■", Runs: []aep.TextRun{{Length: 3, Style: aep.CharacterStyle{
	Font: "Go-Regular", Size: 40, HScale: 100, VScale: 100, ApplyFill: true, Fill: [4]float64{0, 0, 1, 1}}}}}

// characters is a text in space, in the middle of a composition of 200 by 200 pixels.
func (b *builder) characters(selectors []*aep.Property, props ...*aep.Property) (comp *aep.Item, l *aep.Layer) {
	comp = b.comp("main", 200, 200)
	l = b.layer(comp, nil, func(l *aep.Layer) {
		l.Kind, l.ThreeD, l.CharactersInSpace = aep.LayerText, true, true
		animator := group("ADBE Text Animator", group("ADBE Text Selectors", selectors...), group("ADBE Text Animator Properties", props...))
		document := &aep.Property{Match: "ADBE Text Document", Enabled: true, Value: blocks}
		children(l, group("ADBE Text Properties", document, group("ADBE Text Animators", animator)))
		transform(l, value("ADBE Position", 100, 100, 0))
	})
	return comp, l
}

// Each corner of a character is where the projection of its place in space is.
func TestCharactersAreSeenInPerspective(t *testing.T) {
	book := texttest.Book(t)
	laid, err := book.Glyphs(blocks)
	if err != nil {
		t.Fatal(err)
	}
	const zoom = 200 * 50.0 / 36
	sin, cos := math.Sincos(60 * math.Pi / 180)
	for name, c := range map[string]struct {
		props []*aep.Property
		layer func(l *aep.Layer)
		place func(pivot, x, y float64) geom.Vec // of a corner, x right of what its character turns about
	}{
		"nearer": {props: []*aep.Property{value("ADBE Text Position 3D", 0, 0, -100)},
			place: func(pivot, x, y float64) geom.Vec { return geom.Vec{X: pivot + x, Y: y, Z: -100} }},
		"turned about y": {props: []*aep.Property{value("ADBE Text Rotation Y", 60)},
			place: func(pivot, x, y float64) geom.Vec { return geom.Vec{X: pivot + x*cos, Y: y, Z: -x * sin} }},
		"turned about x": {props: []*aep.Property{value("ADBE Text Rotation X", 60)},
			place: func(pivot, x, y float64) geom.Vec { return geom.Vec{X: pivot + x, Y: y * cos, Z: y * sin} }},
		"turned back in a layer on edge": {props: []*aep.Property{value("ADBE Text Rotation Y", -90), value("ADBE Text Position 3D", 0, 0, -1)},
			layer: func(l *aep.Layer) { transform(l, value("ADBE Rotate Y", 90)) },
			place: func(pivot, x, y float64) geom.Vec { return geom.Vec{X: x - 1, Y: y, Z: -pivot} }},
		"facing the camera": {props: []*aep.Property{value("ADBE Text Position 3D", 0, 0, 0)},
			layer: func(l *aep.Layer) { l.CharactersFace = true; transform(l, value("ADBE Rotate Y", 90)) },
			place: func(pivot, x, y float64) geom.Vec { return geom.Vec{X: x, Y: y, Z: -pivot} }},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			comp, l := b.characters(nil, c.props...)
			if c.layer != nil {
				c.layer(l)
			}
			got, _ := ink(oneFrame(t, b.renderer(comp, render.Options{Fonts: book}), 0))
			var want []geom.Point
			for i := range laid.Glyphs {
				g := &laid.Glyphs[i]
				o := g.Outline.Bounds()
				for _, corner := range [4]geom.Point{{X: o.MinX, Y: o.MinY}, {X: o.MaxX, Y: o.MinY}, {X: o.MinX, Y: o.MaxY}, {X: o.MaxX, Y: o.MaxY}} {
					v := c.place(g.X+g.Advance/2, corner.X-g.Advance/2, corner.Y)
					want = append(want, geom.Point{X: 100 + v.X*zoom/(zoom+v.Z), Y: 100 + v.Y*zoom/(zoom+v.Z)})
				}
			}
			box := geom.Outline{Points: want}.Bounds()
			for i, d := range [4]float64{float64(got.Min.X) - box.MinX, float64(got.Min.Y) - box.MinY, float64(got.Max.X) - box.MaxX, float64(got.Max.Y) - box.MaxY} {
				if !(math.Abs(d) <= 1) {
					t.Errorf("seen within %v, want %v: side %d", got, box, i)
				}
			}
		})
	}
}

func TestNearerCharactersHideFartherOnes(t *testing.T) {
	book := texttest.Book(t)
	laid, err := book.Glyphs(blocks)
	if err != nil {
		t.Fatal(err)
	}
	first := []*aep.Property{group("ADBE Text Selector", value("ADBE Text Percent End", 50))}
	second := &laid.Glyphs[1]
	box := second.Outline.Bounds()
	at := image.Pt(int(100+second.X+(box.MinX+box.MaxX)/2), int(100+(box.MinY+box.MaxY)/2))
	for z, want := range map[float64]color.RGBA{-9: red, 9: blue} {
		b := build(t)
		comp, _ := b.characters(first, value("ADBE Text Position 3D", second.X-laid.Glyphs[0].X, 0, z), value("ADBE Text Fill Color", 1, 0, 0, 1))
		check(t, oneFrame(t, b.renderer(comp, render.Options{Fonts: book}), 0), spot{at.X, at.Y, want})
	}
}

// The text of a layer in space moves while the shutter is open, and frames that look alike are told from others.
func TestCharactersInSpaceAreBlurredByTheirMotion(t *testing.T) {
	b := build(t)
	depth := linear(value("ADBE Text Position 3D", 0, 0, 0), 0, 1, aep.Numbers{0, 0, 0}, aep.Numbers{-900, 0, -100})
	comp, l := b.characters(nil, depth)
	comp.Comp.MotionBlur, comp.Comp.ShutterAngle = true, 360
	count := func() (half int) {
		img := oneFrame(t, b.renderer(comp, render.Options{Fonts: texttest.Book(t)}), 0)
		for i := 3; i < len(img.Pix); i += 4 {
			if img.Pix[i] > 64 && img.Pix[i] < 192 {
				half++
			}
		}
		return half
	}
	sharp := count()
	l.MotionBlur = true
	if blurred := count(); blurred < 4*sharp+100 {
		t.Errorf("%d pixels are half covered, and %d without motion blur", blurred, sharp)
	}
}

func TestWhatSingleCharactersLackIsSaid(t *testing.T) {
	b := build(t)
	comp, l := b.characters(nil, value("ADBE Text Position 3D", 0, 0, -10))
	about := func() string {
		return strings.Join(slices.DeleteFunc(b.said(comp), func(s string) bool { return strings.Contains(s, "fonts") }), "\n")
	}
	if said := about(); said != "" {
		t.Errorf("said: %s", said)
	}
	b.deep(comp, b.solid("red", 40, 40, rgb(red)), 50, 50, 0)
	if said := about(); !strings.Contains(said, "what light, shadow, focus and other 3D layers make of single characters") {
		t.Errorf("said: %s", said)
	}
	masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(-50, -50, 100, 100))
	if said := about(); !strings.Contains(said, "the depth of characters of a text with masks") {
		t.Errorf("said: %s", said)
	}
}
