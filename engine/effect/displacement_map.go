package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of Displacement Map's popups "Use For … Displacement".
const (
	mapRed = iota + 1
	mapGreen
	mapBlue
	mapAlpha
	mapLuminance
	mapHue
	mapLightness
	mapSaturation
	mapFull
	mapHalf
)

// displacementMap moves pixels by the colours of another layer.
type displacementMap struct {
	across, width, down, height, behavior, wrap, expand eval.Number
	by                                                  Chosen
	chosen                                              bool
}

func newDisplacementMap(p Params) Effect {
	e := &displacementMap{
		across: p.Number("0002", 1), width: p.Number("0003", 5), down: p.Number("0004", 2), height: p.Number("0005", 5),
		behavior: p.Number("0006", 1), wrap: p.Number("0007", 0), expand: p.Number("0008", 1),
	}
	e.by, e.chosen = p.Layer("0001")
	return e
}

// Timed implements Timed.
func (e *displacementMap) Timed() bool { return e.chosen }

// Reach implements Spreading.
func (e *displacementMap) Reach(f *Frame) int {
	if f.Choice(&e.expand) == 0 {
		return 0
	}
	return int(math.Ceil(min(1e4, max(math.Abs(f.Number(&e.width)), math.Abs(f.Number(&e.height)))*f.Scale())))
}

// mapped is what a channel of a premultiplied colour says, from 0 to 1. Transparent pixels say a half, which moves nothing.
func mapped(c raster.Color, channel int) float64 {
	a := float64(c[3])
	switch {
	case channel == mapAlpha:
		return a / 255
	case channel == mapFull:
		return 1
	case channel == mapHalf || a == 0:
		return 0.5
	}
	rgb := [3]float64{float64(c[0]) / a, float64(c[1]) / a, float64(c[2]) / a}
	switch channel {
	case mapRed, mapGreen, mapBlue:
		return rgb[channel-mapRed]
	case mapLuminance:
		return luma(rgb)
	case mapHue, mapLightness, mapSaturation:
		v := toHLS([4]float64{rgb[0], rgb[1], rgb[2], 1})
		return [3]float64{v.h, v.l, v.s}[channel-mapHue]
	}
	return 0.5 // off
}

func (e *displacementMap) Draw(f *Frame, img *raster.Image) error {
	place := placeCenter
	switch f.Choice(&e.behavior) {
	case 2:
		place = placeStretch
	case 3:
		place = placeTile
	}
	by, release, err := steer(f, e.by, place)
	defer release()
	if by == nil || err != nil {
		return err
	}
	edge := edgeNothing
	if f.Choice(&e.wrap) != 0 {
		edge = edgeTile
	}
	across, down, width, height := f.Choice(&e.across), f.Choice(&e.down), f.Number(&e.width), f.Number(&e.height)
	warp(f, img, edge, func(p geom.Point) (geom.Point, bool) {
		c := by.at(p)
		return geom.Point{X: p.X - width*(2*mapped(c, across)-1), Y: p.Y - height*(2*mapped(c, down)-1)}, true
	})
	return nil
}
