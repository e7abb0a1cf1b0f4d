package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// removeMatting is Remove Color Matting: it takes a background out of colours that were mixed with it.
type removeMatting struct{ color eval.Vector }

func newRemoveMatting(p Params) Effect { return &removeMatting{p.Color("0001", [4]float64{})} }

func (e *removeMatting) Draw(f *Frame, img *raster.Image) error {
	under := f.Color(&e.color)
	shade(img, func(c [4]float64) [4]float64 {
		if c[3] == 0 {
			return c
		}
		for i := range 3 {
			c[i] = (c[i] - under[i]*(1-c[3])) / c[3]
		}
		return c
	})
	return nil
}
