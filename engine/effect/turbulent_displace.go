package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of Turbulent Displace's popup "Displacement" but the first, which moves pixels in both directions.
const (
	displaceBulge         = 2
	displaceTwist         = 3
	displaceSmoother      = 4
	displaceBulgeSmoother = 5
	displaceTwistSmoother = 6
	displaceVertical      = 7
	displaceHorizontal    = 8
	displaceCross         = 9
)

// The values of its popup "Pinning" that are drawn; the others are drawn as the last.
const (
	displacePinNone = 1
	displacePinAll  = 3
)

// maxTurbulentComplexity is the highest complexity that After Effects allows.
const maxTurbulentComplexity = 10

// turbulentDisplace moves pixels by noise.
type turbulentDisplace struct {
	kind, amount, size, complexity, evolution, cycled, cycle, seed, pinning eval.Number
	offset                                                                  eval.Vector
}

func newTurbulentDisplace(p Params) Effect {
	p.Lack("the exact noise")
	e := &turbulentDisplace{
		kind: p.Number("0001", 1), amount: p.Number("0002", 50), size: p.Number("0003", 100), offset: p.Point("0004"),
		complexity: p.Number("0005", 1), evolution: p.Number("0006", 0), cycled: p.Number("0008", 0), cycle: p.Number("0009", 1),
		seed: p.Number("0010", 0), pinning: p.Number("0012", displacePinAll),
	}
	p.LackIf(&e.kind, above(displaceHorizontal), "the displacement")
	p.LackIf(&e.pinning, func(v float64) bool { return v != displacePinNone && v != displacePinAll }, "the pinning")
	return e
}

// strength is how far pixels are moved at most, in pixels of the layer: half of the amount, for a size of 100.
func (e *turbulentDisplace) strength(f *Frame) float64 {
	return finite(f.Number(&e.amount) * max(1, f.Number(&e.size)) / 200)
}

// Reach implements Spreading.
func (e *turbulentDisplace) Reach(f *Frame) int {
	return int(math.Ceil(min(1e4, math.Abs(e.strength(f))*f.Scale())))
}

// fields are the octaves of two noises, and the factor by which a position is scaled for each.
func (e *turbulentDisplace) fields(f *Frame, img *raster.Image) (both [2][]*field, cell float64, offset geom.Point) {
	kind := noiseSoftLinear
	if how := f.Choice(&e.kind); how >= displaceSmoother && how <= displaceTwistSmoother {
		kind = noiseSpline
	}
	cell, offset = max(1, f.Number(&e.size)), f.PointOr(&e.offset, 0.5, 0.5)
	z, period := evolution(f.Number(&e.evolution), f.Choice(&e.cycled) != 0, f.Number(&e.cycle))
	back, ok := f.Matrix.Invert()
	if !ok {
		return both, cell, offset
	}
	box := boxOf(img).Transform(back)
	octaves := int(max(1, min(maxTurbulentComplexity, f.Number(&e.complexity))))
	for n := range both {
		for i := range octaves {
			k := math.Exp2(float64(i)) / cell
			part := geom.Rect{MinX: (box.MinX - offset.X) * k, MinY: (box.MinY - offset.Y) * k, MaxX: (box.MaxX - offset.X) * k, MaxY: (box.MaxY - offset.Y) * k}
			both[n] = append(both[n], newField(kind, 1000*f.Choice(&e.seed)+100*n+i, z, period, part))
		}
	}
	return both, cell, offset
}

// sum is noise of several octaves, each half as large and half as strong as the one before.
func sum(octaves []*field, x, y float64) float64 {
	total, k := 0.0, 1.0
	for _, o := range octaves {
		total += o.at(x/k, y/k) * k
		k /= 2
	}
	return total
}

func (e *turbulentDisplace) Draw(f *Frame, img *raster.Image) error {
	strength := e.strength(f)
	if strength == 0 {
		return nil
	}
	both, cell, offset := e.fields(f, img)
	how := f.Choice(&e.kind)
	edge := edgeNothing
	if f.Choice(&e.pinning) != displacePinNone {
		edge = edgeRepeat
	}
	warp(f, img, edge, func(p geom.Point) (geom.Point, bool) {
		x, y := (p.X-offset.X)/cell, (p.Y-offset.Y)/cell
		a := sum(both[0], x, y)
		var d geom.Point
		switch how {
		case displaceVertical:
			d.Y = a
		case displaceHorizontal:
			d.X = a
		case displaceBulge, displaceBulgeSmoother, displaceTwist, displaceTwistSmoother:
			const step = 0.05
			slope := geom.Point{X: (sum(both[0], x+step, y) - a) / step, Y: (sum(both[0], x, y+step) - a) / step}.Scale(0.5)
			if d = slope; how == displaceTwist || how == displaceTwistSmoother {
				d = geom.Point{X: -slope.Y, Y: slope.X}
			}
		default:
			d = geom.Point{X: a, Y: sum(both[1], x, y)}
		}
		return p.Add(d.Scale(strength)), edge == edgeNothing || p.X >= 0 && p.Y >= 0 && p.X <= f.Size.X && p.Y <= f.Size.Y
	})
	return nil
}

// boxOf is the rectangle of a picture.
func boxOf(img *raster.Image) geom.Rect {
	r := img.Rect
	return geom.Rect{MinX: float64(r.Min.X), MinY: float64(r.Min.Y), MaxX: float64(r.Max.X), MaxY: float64(r.Max.Y)}
}
