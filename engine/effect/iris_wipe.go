package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// irisWipe cuts a polygon or a star out of the layer.
type irisWipe struct {
	center                                            eval.Vector
	points, outer, useInner, inner, rotation, feather eval.Number
}

func newIrisWipe(p Params) Effect {
	return &irisWipe{
		center: p.Point("0001"), points: p.Number("0002", 6), outer: p.Number("0003", 0), useInner: p.Number("0004", 0),
		inner: p.Number("0005", 0), rotation: p.Number("0006", 0), feather: p.Number("0007", 0),
	}
}

// star is a closed outline of n points at the radii outer and inner by turns, the first above the centre.
func star(center geom.Point, n int, outer, inner, degrees float64) geom.Outline {
	var o geom.Outline
	for i := range n {
		r := outer
		if i%2 == 1 {
			r = inner
		}
		p := center.Add(heading(degrees + 360*float64(i)/float64(n)).Scale(r))
		if i == 0 {
			o.Move(p.X, p.Y)
		} else {
			o.Line(p.X, p.Y)
		}
	}
	o.Close()
	return o
}

func (e *irisWipe) Draw(f *Frame, img *raster.Image) error {
	outer := f.Number(&e.outer)
	inner := outer
	if f.Choice(&e.useInner) != 0 {
		inner = f.Number(&e.inner)
	}
	if !(outer > 0 && inner > 0) {
		return nil
	}
	// After Effects allows 6 to 32 points.
	n := int(max(6, min(32, f.Number(&e.points))))
	shape := raster.Shape{Outline: star(f.PointOr(&e.center, 0.5, 0.5), n, outer, inner, f.Number(&e.rotation)), Color: [4]float64{0, 0, 0, 1}}
	sigma := min(200, max(0, f.Number(&e.feather))*BlurSigma*f.Scale())
	hole, release := f.Host.Surface(img.Rect.Inset(-raster.BlurReach(sigma)))
	defer release()
	f.Host.Paint(hole, &shape, f.Matrix)
	mask := raster.AlphaOf(hole, hole.Rect)
	raster.BlurAlpha(mask, sigma, sigma)
	for i, v := range mask.Pix {
		mask.Pix[i] = 255 - v
	}
	raster.MultiplyAlpha(img, mask)
	return nil
}
