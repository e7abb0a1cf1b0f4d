package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// eyedropperFill fills the layer with the mean colour around a point of it.
type eyedropperFill struct {
	point                   eval.Vector
	radius, keepAlpha, keep eval.Number
}

func newEyedropperFill(p Params) Effect {
	return &eyedropperFill{p.Point("0001"), p.Number("0002", 10), p.Number("0004", 0), p.Number("0005", 0)}
}

func (e *eyedropperFill) Draw(f *Frame, img *raster.Image) error {
	at, radius := f.Matrix.Apply(f.PointOr(&e.point, 0.5, 0.5)), max(0.5, f.Number(&e.radius)*f.Scale())
	around := raster.PixelRect(geom.Rect{MinX: at.X - radius, MinY: at.Y - radius, MaxX: at.X + radius, MaxY: at.Y + radius}).Intersect(img.Rect)
	var sum [4]float64
	n := 0.0
	for y := around.Min.Y; y < around.Max.Y; y++ {
		for x := around.Min.X; x < around.Max.X; x++ {
			if math.Hypot(float64(x)+0.5-at.X, float64(y)+0.5-at.Y) > radius {
				continue
			}
			px := img.Pix[img.PixOffset(x, y):][:4]
			for c := range sum {
				sum[c] += float64(px[c])
			}
			n++
		}
	}
	if n == 0 {
		return nil
	}
	before, release := copied(f, img)
	defer release()
	var mean raster.Color
	for c := range mean {
		mean[c] = uint8(sum[c]/n + 0.5)
	}
	if f.Choice(&e.keepAlpha) == 0 {
		raster.FillRect(img, img.Rect, mean)
	} else if mean[3] > 0 {
		paintOver(img, [4]float64{sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3], 1})
	}
	mix(img, before, f.Share(&e.keep))
	return nil
}
