package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/random"
	"overcrank/engine/raster"
)

// rampRadial is the value of Gradient Ramp's popup "Ramp Shape" for a radial ramp.
const rampRadial = 2

// gradientRamp is Gradient Ramp: colours between two points, with the transparency of the layer.
type gradientRamp struct {
	start, from, end, to eval.Vector
	shape, scatter, keep eval.Number
}

func newRamp(p Params) Effect {
	e := &gradientRamp{
		start: p.Point("0001"), from: p.Color("0002", [4]float64{0, 0, 0, 1}), end: p.Point("0003"), to: p.Color("0004", [4]float64{1, 1, 1, 1}),
		shape: p.Number("0005", 1), scatter: p.Number("0006", 0), keep: p.Number("0007", 0),
	}
	p.LackIf(&e.scatter, above(0), "the random values")
	return e
}

// at is the ramp at a moment, and what maps pixels of the picture to those of the layer; false when nothing of the layer is seen.
func (e *gradientRamp) at(f *Frame) (r ramp, inv geom.Matrix, ok bool) {
	inv, ok = f.Matrix.Invert()
	start, end := f.PointOr(&e.start, 0.5, 0), f.PointOr(&e.end, 0.5, 1)
	return ramp{
		start: start, way: end.Sub(start), radial: f.Choice(&e.shape) == rampRadial,
		from: f.Color(&e.from), to: f.Color(&e.to), keep: f.Share(&e.keep),
		// After Effects allows a scatter of 0 to 512; at 256 a pixel may have the colour of any other.
		scatter: max(0, min(512, f.Number(&e.scatter))) / 256,
	}, inv, ok
}

func (e *gradientRamp) Draw(f *Frame, img *raster.Image) error {
	r, inv, ok := e.at(f)
	if !ok {
		return nil
	}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		for i := 0; i < len(row); i += 4 {
			if row[i+3] != 0 {
				r.paint(row[i:i+4], inv.Apply(geom.Point{X: float64(img.Rect.Min.X+i/4) + 0.5, Y: float64(y) + 0.5}))
			}
		}
	}
	return nil
}

// ramp is a Gradient Ramp in pixels of the layer.
type ramp struct {
	start, way geom.Point
	radial     bool
	from, to   [4]float64
	keep       float64 // fraction of the original colour
	scatter    float64 // by how much, in all, the place of a pixel on the ramp is changed
}

// paint sets the colour of the premultiplied pixel at a position of the layer.
func (r *ramp) paint(px []uint8, at geom.Point) {
	k := r.share(at)
	a := float64(px[3])
	for c := range 3 {
		v := (r.from[c] + (r.to[c]-r.from[c])*k) * a
		px[c] = channel(v+(float64(px[c])-v)*r.keep, a)
	}
}

// share is how far on the ramp a position of the layer lies, 0 to 1.
func (r *ramp) share(at geom.Point) float64 {
	d := at.Sub(r.start)
	length := r.way.X*r.way.X + r.way.Y*r.way.Y
	k := 1.0
	switch {
	case length == 0:
	case r.radial:
		k = math.Sqrt((d.X*d.X + d.Y*d.Y) / length)
	default:
		k = (d.X*r.way.X + d.Y*r.way.Y) / length
	}
	if r.scatter > 0 {
		k += (random.At(0, lattice(at.X), lattice(at.Y), 0) - 0.5) * r.scatter
	}
	return max(0, min(1, k))
}
