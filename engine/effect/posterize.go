package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// posterize is Posterize: each channel in a number of steps, from black to full.
type posterize struct{ levels eval.Number }

func newPosterize(p Params) Effect { return &posterize{p.Number("0001", 7)} }

func (e *posterize) Draw(f *Frame, img *raster.Image) error {
	n := max(2, min(256, math.Round(f.Number(&e.levels))))
	m := mappingOf(func(v float64) float64 { return math.Floor(v*255*n/256) / (n - 1) })
	lookUp(img, [3]*mapping{m, m, m})
	return nil
}

// threshold is Threshold: black below a brightness, white from it on. Its older version counts to 255.
type threshold struct {
	level eval.Number
	full  float64
}

func newThreshold(p Params) Effect    { return &threshold{p.Number("0001", 0.5), 1} }
func newThreshold255(p Params) Effect { return &threshold{p.Number("0001", 127.5), 255} }

func (e *threshold) Draw(f *Frame, img *raster.Image) error {
	level := f.Number(&e.level) / e.full
	recolor(img, func(c [3]float64) [3]float64 {
		if luma(c) >= level {
			return [3]float64{1, 1, 1}
		}
		return [3]float64{}
	})
	return nil
}
