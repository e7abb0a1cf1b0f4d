package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of Circle's popup "Edge" but the first, for a disc.
const (
	edgeRadius          = 2
	edgeThickness       = 3
	edgeThicknessRadius = 4
	edgeAllRadius       = 5
)

// circle draws a disc or a ring.
type circle struct {
	wholeLayer
	center, color                                         eval.Vector
	radius, edge, inner, softOut, softIn, invert, opacity eval.Number
	blend                                                 blending
}

func newCircle(p Params) Effect {
	return &circle{
		center: p.Point("0001"), radius: p.Number("0002", 75), edge: p.Number("0003", 1), inner: p.Number("0004", 10), softOut: p.Number("0006", 0),
		softIn: p.Number("0007", 0), invert: p.Number("0009", 0), color: p.Color("0010", [4]float64{1, 1, 1, 1}),
		opacity: p.Number("0011", 100), blend: blendingOf(p, "0012", blendNone, 3),
	}
}

func (e *circle) Draw(f *Frame, img *raster.Image) error {
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	center, outer, value := f.PointOr(&e.center, 0.5, 0.5), max(0, f.Number(&e.radius)), f.Number(&e.inner)
	inner, softOut, softIn := -1.0, f.Number(&e.softOut), f.Number(&e.softIn)
	switch how := f.Choice(&e.edge); how {
	case edgeRadius:
		inner, outer = min(outer, value), max(outer, value)
	case edgeThickness:
		inner, outer = outer-value/2, outer+value/2
	case edgeThicknessRadius, edgeAllRadius:
		if how == edgeAllRadius {
			softOut, softIn = softOut*outer/100, softIn*outer/100
		}
		inner, outer = outer*(1-value/200), outer*(1+value/200)
	}
	line := hairline(f)
	softOut, softIn = max(line, softOut), max(line, softIn)
	invert := f.Choice(&e.invert) != 0
	cover(f, painted, f.Color(&e.color), func(p geom.Point) float64 {
		d := p.Sub(center)
		far := math.Sqrt(d.X*d.X + d.Y*d.Y)
		k := unit(0.5 + (outer-far)/softOut)
		if inner > 0 {
			k *= unit(0.5 + (far-inner)/softIn)
		}
		if invert {
			return 1 - k
		}
		return k
	})
	e.blend.lay(f, img, painted, completion(f, &e.opacity))
	return nil
}
