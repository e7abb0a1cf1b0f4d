package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of the popup "Mode" of Smart Blur that show edges.
const (
	smartEdges   = 2 // in white on black
	smartOverlay = 3 // in white over the picture
)

// smartBlur is Smart Blur: each pixel becomes the mean of those around it that differ by less than a threshold.
type smartBlur struct{ radius, threshold, mode eval.Number }

func newSmartBlur(p Params) Effect {
	p.Lack("the exact weights")
	e := &smartBlur{p.Number("0001", 5), p.Number("0002", 25), p.Number("0003", 1)}
	if e.mode.Varies() || e.mode.First() > 1 {
		p.Lack("the exact edges")
	}
	return e
}

func (e *smartBlur) Draw(f *Frame, img *raster.Image) error {
	s := f.Number(&e.radius) * f.Scale()
	share := max(0, min(255, f.Number(&e.threshold))) / 255
	lights, mode := lightsOf(img), f.Choice(&e.mode)
	if mode != smartEdges {
		blurAlike(f, img, raster.Boxes(s, s, 2), share, func(distance float64) float64 { return max(0, min(1, 1.5-math.Abs(distance))) })
	}
	if mode != smartEdges && mode != smartOverlay {
		return nil
	}
	found := edges(lights, img.Rect, share)
	for i, k := range found.Pix {
		px := img.Pix[4*i : 4*i+4 : 4*i+4]
		switch {
		case k > 0:
			px[0], px[1], px[2] = px[3], px[3], px[3]
		case mode == smartEdges:
			px[0], px[1], px[2] = 0, 0, 0
		}
	}
	return nil
}
