package render_test

import (
	"image/color"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

func TestAnEffectIsSeenAsFarAsItsCompositingOptionsSay(t *testing.T) {
	draw := func(options ...*aep.Property) *raster.Image {
		b := build(t)
		comp := b.comp("main", 40, 40)
		b.layer(comp, b.solid("all", 40, 40, rgb(red)), func(l *aep.Layer) {
			masked(l, aep.MaskInfo{}, square(0, 0, 20, 40)) // a mask that does nothing for the layer
			l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Fill",
				value("ADBE Fill-0002", 0, 0, 1, 1), group("ADBE Effect Built In Params", options...))))
		})
		return oneFrame(t, b.renderer(comp, render.Options{}), 0)
	}
	half := color.RGBA{128, 0, 128, 255}
	check(t, draw(value("ADBE Effect Mask Opacity", 50)), spot{5, 5, half}, spot{35, 5, half})
	check(t, draw(value("ADBE Effect Mask Opacity", 0.5)), spot{5, 5, half})
	check(t, draw(value("ADBE Effect Mask Opacity", 0)), spot{5, 5, red})
	first := group("ADBE Effect Mask Parade", group("ADBE Effect Mask", value("ADBE Effect Path Stream Ref", 1)))
	check(t, draw(first), spot{5, 5, blue}, spot{35, 5, red})
	check(t, draw(value("ADBE Effect Mask Opacity", 50), first), spot{5, 5, half}, spot{35, 5, red})
}
