package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of CC Jaws' popup "Shape" but the first, spikes.
const (
	jawsRobo   = 2
	jawsBlocks = 3
	jawsWaves  = 4
)

// jaws opens the layer along a line with teeth.
type jaws struct {
	center                                eval.Vector
	done, direction, height, width, shape eval.Number
}

func newJaws(p Params) Effect {
	p.Lack("the exact size of the teeth")
	return &jaws{
		done: p.Number("0001", 0), center: p.Point("0002"), direction: p.Number("0003", 0), height: p.Number("0004", 0.1),
		width: p.Number("0005", 10), shape: p.Number("0006", 1),
	}
}

// tooth is the height of the line of teeth, from -1 to 1, at a position along it, in teeth.
func tooth(shape int, v float64) float64 {
	v -= math.Floor(v)
	spike := 1 - 4*math.Abs(v-0.5)
	switch shape {
	case jawsRobo:
		return max(-1, min(1, 2*spike))
	case jawsBlocks:
		return math.Copysign(1, spike)
	case jawsWaves:
		return -math.Cos(2 * math.Pi * v)
	}
	return spike
}

func (e *jaws) Draw(f *Frame, img *raster.Image) error {
	done := completion(f, &e.done)
	if done == 0 {
		return nil
	}
	center, shape := f.PointOr(&e.center, 0.5, 0.5), f.Choice(&e.shape)
	across := heading(f.Number(&e.direction))
	along := geom.Point{X: -across.Y, Y: across.X}
	size, width := f.Share(&e.height)*f.Size.Y/2, max(1, f.Number(&e.width))
	var reach float64 // how far the corners are from the line
	for _, c := range [4]geom.Point{{}, {X: f.Size.X}, {Y: f.Size.Y}, f.Size} {
		d := c.Sub(center)
		reach = max(reach, math.Abs(d.X*across.X+d.Y*across.Y))
	}
	gap, soft := done*(reach+size+1), hairline(f)
	reveal(f, img, func(p geom.Point) float64 {
		d := p.Sub(center)
		v := d.X*across.X + d.Y*across.Y - size*tooth(shape, (d.X*along.X+d.Y*along.Y)/width)
		return 0.5 + (math.Abs(v)-gap)/soft
	})
	return nil
}
