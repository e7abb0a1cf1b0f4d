package render_test

import (
	"context"
	"image"
	"image/color"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// rectangle is a rectangle of a size at a place of a shape layer, filled with a colour by a mode of the list of shapes.
func rectangle(c color.RGBA, x, w, mode float64) []*aep.Property {
	f := rgb(c)
	return []*aep.Property{
		group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", w, 20), value("ADBE Vector Rect Position", x, 0)),
		group("ADBE Vector Graphic - Fill", value("ADBE Vector Fill Color", f[0], f[1], f[2], 1), value("ADBE Vector Blend Mode", mode)),
	}
}

// The values of the popup "Blend Mode" of shapes.
const (
	shapeMultiply = 4
	shapeScreen   = 10
)

// Three columns: the group alone, the group over red, red alone. All lie on blue, with which nothing in the layer mixes.
func TestShapesMixWithWhatLiesBelowThemInTheirLayer(t *testing.T) {
	grouped := func(mode float64, contents ...*aep.Property) *aep.Property {
		return group("ADBE Vector Group", value("ADBE Vector Blend Mode", mode), group("ADBE Vectors Group", contents...))
	}
	for name, c := range map[string]struct {
		top  []*aep.Property
		want [2]color.RGBA
	}{
		"a fill":                {[]*aep.Property{grouped(1, rectangle(green, -5, 20, shapeScreen)...)}, [2]color.RGBA{green, {255, 255, 0, 255}}},
		"a group":               {[]*aep.Property{grouped(shapeScreen, rectangle(green, -5, 20, 1)...)}, [2]color.RGBA{green, {255, 255, 0, 255}}},
		"a fill within a group": {[]*aep.Property{grouped(shapeScreen, rectangle(green, -5, 20, shapeMultiply)...)}, [2]color.RGBA{green, {255, 255, 0, 255}}},
		"a group in a group":    {[]*aep.Property{grouped(1, grouped(shapeMultiply, rectangle(green, -5, 20, 1)...))}, [2]color.RGBA{green, black}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, opacity := range []float64{100, 50} {
				b := build(t)
				comp := b.comp("main", 30, 20)
				b.layer(comp, nil, func(l *aep.Layer) {
					l.Kind = aep.LayerShape
					transform(l, value("ADBE Opacity", opacity))
					children(l, group("ADBE Root Vectors Group", append(c.top, grouped(1, rectangle(red, 5, 20, 1)...))...))
				})
				b.layer(comp, b.solid("blue", 30, 20, rgb(blue)), nil)
				img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
				for x, want := range map[int]color.RGBA{5: c.want[0], 15: c.want[1], 25: red} {
					if opacity == 50 {
						want = color.RGBA{want.R / 2, want.G / 2, 128 + want.B/2, 255}
					}
					check(t, img, spot{x, 10, want})
				}
			}
		})
	}
}

func TestARepeaterRepeatsGroupsWithABlendMode(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 30, 20)
	b.layer(comp, nil, func(l *aep.Layer) {
		l.Kind = aep.LayerShape
		one := group("ADBE Vector Group", value("ADBE Vector Blend Mode", shapeScreen), group("ADBE Vectors Group", rectangle(green, -10, 10, 1)...))
		copies := group("ADBE Vector Filter - Repeater", value("ADBE Vector Repeater Copies", 2),
			group("ADBE Vector Repeater Transform", value("ADBE Vector Repeater Position", 10, 0)))
		children(l, group("ADBE Root Vectors Group", append([]*aep.Property{one, copies}, rectangle(red, 0, 30, 1)...)...))
	})
	yellow := color.RGBA{255, 255, 0, 255}
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{5, 10, yellow}, spot{15, 10, yellow}, spot{25, 10, red})
}

// What is kept of a shape layer from frame to frame is that of its fill rule, its joins and the type of its gradients.
func TestMovingPopupsOfShapesAreSeen(t *testing.T) {
	from1to := func(match string, to float64) *aep.Property {
		return linear(value(match, 1), 0, 1, aep.Numbers{1}, aep.Numbers{to})
	}
	small := group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", 4, 4))
	large := group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", 12, 12))
	stroke := group("ADBE Vector Graphic - Stroke", value("ADBE Vector Stroke Width", 8), value("ADBE Vector Stroke Color", 1, 0, 0, 1),
		from1to("ADBE Vector Stroke Line Join", raster.BevelJoin))
	fill := group("ADBE Vector Graphic - Fill", value("ADBE Vector Fill Color", 1, 0, 0, 1), from1to("ADBE Vector Fill Rule", 2))
	fading := &aep.Property{Match: "ADBE Vector Grad Colors", Enabled: true, Value: &aep.Gradient{
		Colors: []aep.ColorStop{{Offset: 0, Midpoint: 0.5, RGB: [3]float64{1}}, {Offset: 1, Midpoint: 0.5, RGB: [3]float64{1}}},
		Alphas: []aep.AlphaStop{{Offset: 0, Midpoint: 0.5, Alpha: 1}, {Offset: 0.5, Midpoint: 0.5, Alpha: 1}, {Offset: 0.6, Midpoint: 0.5}, {Offset: 1, Midpoint: 0.5}},
	}}
	gradient := group("ADBE Vector Graphic - G-Fill", fading, value("ADBE Vector Grad End Pt", 6, 0), from1to("ADBE Vector Grad Type", 2))
	for name, c := range map[string]struct {
		contents []*aep.Property
		at       image.Point // red at first, and clear in the end
	}{
		"fill rule": {[]*aep.Property{small, large, group("ADBE Vector Filter - Merge", value("ADBE Vector Merge Type", 1)), fill}, image.Pt(10, 10)},
		"gradient":  {[]*aep.Property{large, gradient}, image.Pt(5, 10)},
		"line join": {[]*aep.Property{large, stroke}, image.Pt(0, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			comp := b.comp("main", 20, 20)
			b.layer(comp, nil, func(l *aep.Layer) {
				l.Kind = aep.LayerShape
				transform(l, value("ADBE Position", 10, 10))
				l.Props.Children = append(l.Props.Children, group("ADBE Root Vectors Group", c.contents...))
			})
			err := b.renderer(comp, render.Options{Workers: 1}).Frames(context.Background(), 0, 14, 1, func(n int, img *raster.Image) error {
				switch {
				case n < 4:
					check(t, img, spot{c.at.X, c.at.Y, red})
				case n > 11:
					check(t, img, spot{c.at.X, c.at.Y, clear})
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
