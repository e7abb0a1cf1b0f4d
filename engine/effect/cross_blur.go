package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// crossBlur is CC Cross Blur: the picture blurred across, and blurred down, mixed with each other.
type crossBlur struct{ across, down, mode, repeat eval.Number }

func newCrossBlur(p Params) Effect {
	p.Lack("the exact length")
	return &crossBlur{p.Number("0001", 0), p.Number("0002", 0), p.Number("0003", 1), p.Number("0004", 0)}
}

// crossModes are how the blurred pictures are mixed, by the values of the popup "Transfer Mode"; nil is half of each.
var crossModes = []raster.Blend{nil, nil, raster.Add, raster.Screen, raster.Multiply, raster.Lighten, raster.Darken}

func (e *crossBlur) of(f *Frame) (across, down raster.Blurring) {
	return raster.Gaussian(f.Number(&e.across)*BlurSigma*f.Scale(), 0), raster.Gaussian(0, f.Number(&e.down)*BlurSigma*f.Scale())
}

func (e *crossBlur) Reach(f *Frame) int {
	across, down := e.of(f)
	return max(across.Reach(), down.Reach())
}

func (e *crossBlur) Draw(f *Frame, img *raster.Image) error {
	other, release := f.Host.Surface(img.Rect)
	defer release()
	copy(other.Pix, img.Pix)
	across, down := e.of(f)
	repeat := f.Choice(&e.repeat) != 0
	blurWithin(f, across, repeat, img)
	blurWithin(f, down, repeat, other)
	if mode := f.Choice(&e.mode); mode > 1 && mode < len(crossModes) {
		raster.Composite(img, other, 1, crossModes[mode])
		return nil
	}
	for i, v := range other.Pix {
		img.Pix[i] = uint8((uint(img.Pix[i]) + uint(v) + 1) / 2)
	}
	return nil
}
