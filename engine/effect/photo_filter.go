package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// photoFilters are the colours of Photo Filter's popup, from 1, as Photoshop shows them; the one after them is the user's own.
var photoFilters = [...][3]uint8{
	{0xec, 0x8a, 0x00}, {0xfa, 0x96, 0x00}, {0xeb, 0xb1, 0x13}, // warming 85, LBA, 81
	{0x00, 0x6d, 0xff}, {0x00, 0x5d, 0xff}, {0x00, 0xb5, 0xff}, // cooling 80, LBB, 82
	{0xea, 0x1a, 0x1a}, {0xf3, 0x84, 0x17}, {0xf9, 0xe3, 0x1c}, {0x19, 0xc9, 0x19}, // red, orange, yellow, green
	{0x1d, 0xcb, 0xea}, {0x1d, 0x35, 0xea}, {0x9b, 0x1d, 0xea}, {0xe3, 0x18, 0xe3}, {0xac, 0x7a, 0x33}, // cyan, blue, violet, magenta, sepia
	{0xff, 0x00, 0x00}, {0x00, 0x22, 0xcd}, {0x00, 0x8c, 0x00}, {0xff, 0xd5, 0x00}, {0x00, 0xc2, 0xb1}, // deep red, blue, emerald, yellow; underwater
}

// photoFilter is Photo Filter: light through a coloured glass.
type photoFilter struct {
	filter, density, keep eval.Number
	color                 eval.Vector
}

func newPhotoFilter(p Params) Effect {
	p.Lack("the exact response")
	return &photoFilter{
		filter: p.Number("0001", 1), color: p.Color("0002", [4]float64{0.925, 0.541, 0, 1}), density: p.Number("0003", 25), keep: p.Number("0004", 1),
	}
}

func (e *photoFilter) Draw(f *Frame, img *raster.Image) error {
	recolor(img, e.of(f))
	return nil
}

// of is what the effect makes of a colour at a moment.
func (e *photoFilter) of(f *Frame) func(c [3]float64) [3]float64 {
	glass := rgb(f.Color(&e.color))
	if i := f.Choice(&e.filter) - 1; i >= 0 && i < len(photoFilters) {
		for j, v := range photoFilters[i] {
			glass[j] = float64(v) / 255
		}
	}
	glass = towards([3]float64{1, 1, 1}, glass, unit(f.Number(&e.density)/100))
	keep := f.Choice(&e.keep) != 0
	return func(c [3]float64) [3]float64 {
		through := [3]float64{c[0] * glass[0], c[1] * glass[1], c[2] * glass[2]}
		if keep {
			return raster.WithLuminosity(through, raster.LuminosityOf(c))
		}
		return through
	}
}
