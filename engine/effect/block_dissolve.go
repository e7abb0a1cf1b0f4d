package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/random"
	"overcrank/engine/raster"
)

// blockDissolve hides blocks of the layer in a random order.
type blockDissolve struct{ done, width, height eval.Number }

func newBlockDissolve(p Params) Effect {
	p.Lack("the exact order of the blocks")
	p.Unless("0004", 0, "the feather")
	soft := p.Number("0005", 1)
	p.LackIf(&soft, above(0), "the soft edges")
	return &blockDissolve{p.Number("0001", 0), p.Number("0002", 1), p.Number("0003", 1)}
}

func (e *blockDissolve) Draw(f *Frame, img *raster.Image) error {
	done, width, height := completion(f, &e.done), max(1, f.Number(&e.width)), max(1, f.Number(&e.height))
	if done == 0 {
		return nil
	}
	reveal(f, img, func(p geom.Point) float64 {
		if random.At(0, lattice(math.Floor(p.X/width)), lattice(math.Floor(p.Y/height)), 0) < done {
			return 0
		}
		return 1
	})
	return nil
}
