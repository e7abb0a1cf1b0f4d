package effect

import (
	"fmt"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// blackWhite is Black & White: how bright each of six colours becomes.
type blackWhite struct {
	colors [6]eval.Number // reds, yellows, greens, cyans, blues, magentas, per cent
	tinted eval.Number
	tint   eval.Vector
}

func newBlackWhite(p Params) Effect {
	p.Lack("the exact response")
	e := &blackWhite{tinted: p.Number("0007", 0), tint: p.Color("0008", [4]float64{0.882, 0.827, 0.702, 1})}
	for i, def := range [6]float64{40, 60, 40, 60, 20, 80} {
		e.colors[i] = p.Number(fmt.Sprintf("%04d", 1+i), def)
	}
	return e
}

func (e *blackWhite) Draw(f *Frame, img *raster.Image) error {
	recolor(img, e.of(f))
	return nil
}

// of is what the effect makes of a colour at a moment.
func (e *blackWhite) of(f *Frame) func(c [3]float64) [3]float64 {
	var k [6]float64
	for i := range k {
		k[i] = f.Number(&e.colors[i]) / 100
	}
	tint, tinted := rgb(f.Color(&e.tint)), f.Choice(&e.tinted) != 0
	return func(c [3]float64) [3]float64 {
		v := unit(greyOf(c, k))
		if tinted {
			return raster.WithLuminosity(tint, v)
		}
		return [3]float64{v, v, v}
	}
}

// greyOf splits a colour into grey, one of the secondary colours between two channels, and one primary colour, and weighs these.
func greyOf(c [3]float64, k [6]float64) float64 {
	grey := min(c[0], c[1], c[2])
	r, g, b := c[0]-grey, c[1]-grey, c[2]-grey
	yellow, cyan, magenta := min(r, g), min(g, b), min(b, r)
	r, g, b = r-yellow-magenta, g-yellow-cyan, b-cyan-magenta
	return grey + k[0]*r + k[1]*yellow + k[2]*g + k[3]*cyan + k[4]*b + k[5]*magenta
}
