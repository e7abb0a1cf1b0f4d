package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// BlurSigma is the standard deviation for one pixel of a blur, a shadow's softness or a mask's feather. After Effects
// does not document it; this value looks closest.
const BlurSigma = 0.3

// The values of the popup "Blur Dimensions".
const (
	blurHorizontal = 2
	blurVertical   = 3
)

// gaussianBlur is Gaussian Blur, in both versions that projects use.
type gaussianBlur struct{ blurriness, dimensions eval.Number }

func newGaussianBlur(p Params) Effect {
	return &gaussianBlur{p.Number("0001", 0), p.Number("0002", 1)}
}

func (b *gaussianBlur) sigmas(f *Frame) (x, y float64) {
	s := f.Number(&b.blurriness) * BlurSigma * f.Scale()
	switch f.Choice(&b.dimensions) {
	case blurHorizontal:
		return s, 0
	case blurVertical:
		return 0, s
	}
	return s, s
}

func (b *gaussianBlur) Reach(f *Frame) int {
	x, y := b.sigmas(f)
	return raster.BlurReach(max(x, y))
}

func (b *gaussianBlur) Draw(f *Frame, img *raster.Image) error {
	x, y := b.sigmas(f)
	raster.Blur(img, x, y)
	return nil
}
