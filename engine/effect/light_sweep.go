package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of CC Light Sweep's popups.
const (
	sweepLinear = 1 // Shape
	sweepSmooth = 2

	sweepAdds    = 1 // Light Reception
	sweepCutsOut = 3
)

// lightSweep is CC Light Sweep: a beam of light across the layer, brighter on its edges.
type lightSweep struct {
	center, color                                                         eval.Vector
	direction, shape, width, intensity, edgeIntensity, edgeWidth, receive eval.Number
}

func newLightSweep(p Params) Effect {
	p.Lack("the exact falloff of the light")
	return &lightSweep{
		center: p.Point("0001"), direction: p.Number("0002", -30), shape: p.Number("0003", 3), width: p.Number("0004", 50),
		intensity: p.Number("0005", 25), edgeIntensity: p.Number("0006", 50), edgeWidth: p.Number("0007", 4),
		color: p.Color("0008", [4]float64{1, 0.98, 0.94, 1}), receive: p.Number("0009", sweepAdds),
	}
}

// brightness is how bright the light is at a share of its half width, by the popup "Shape". The shapes are named, their curves are not published.
func brightness(shape int, share float64) float64 {
	left := unit(1 - math.Abs(share))
	switch shape {
	case sweepLinear:
		return left
	case sweepSmooth:
		return left * left * (3 - 2*left)
	}
	return left * left
}

func (e *lightSweep) Draw(f *Frame, img *raster.Image) error {
	inner, release := f.Host.Surface(img.Rect)
	defer release()
	copy(inner.Pix, img.Pix)
	edge := pixels(f.Number(&e.edgeWidth) * f.Scale())
	if edge > 0 {
		spread(inner, []int{3}, edge, false, false, true, true)
	}
	center := f.Matrix.Apply(f.PointOr(&e.center, 0.5, 0.5))
	// The beam lies along the direction; what counts is the distance from it.
	aside := towardsLight(f.Number(&e.direction)+90, 1)
	half, shape := max(f.Number(&e.width)*f.Scale(), 1e-3), f.Choice(&e.shape)
	sweep, rim := max(0, f.Number(&e.intensity)/100), max(0, f.Number(&e.edgeIntensity)/100)
	color, receive := rgb(f.Color(&e.color)), f.Choice(&e.receive)
	i := 0
	eachPlace(img, func(px []uint8, at geom.Point) {
		here := inner.Pix[i+3]
		i += 4
		if px[3] == 0 {
			return
		}
		light := brightness(shape, ((at.X-center.X)*aside.X+(at.Y-center.Y)*aside.Y)/half) * (sweep + rim*float64(px[3]-min(px[3], here))/float64(px[3]))
		if receive == sweepCutsOut {
			k := unit(light)
			for j := range px {
				px[j] = uint8(float64(px[j])*k + 0.5)
			}
			return
		}
		a := float64(px[3])
		for j := range 3 {
			v := float64(px[j])
			if receive == sweepAdds {
				v += color[j] * light * a
			} else {
				v += (color[j]*a - v) * unit(light)
			}
			px[j] = channel(v, a)
		}
	})
	return nil
}
