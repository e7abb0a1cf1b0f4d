package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// ray is the look of a line of light: one colour inside, that turns into another towards the edge and fades.
type ray struct {
	inside, outside [4]float64
	softness        float64 // the part of the line that fades, from 0 to 1
}

// paint lays the ray over px, which is premultiplied, at a distance from the middle of a line with half the given thickness.
func (r *ray) paint(px []uint8, far, half, line float64) {
	fade := max(half*r.softness, line)
	k := unit((far - half*(1-r.softness) + line/2) / fade)
	if k >= 1 {
		return
	}
	a := 1 - k
	for c := range 3 {
		v := r.inside[c] + (r.outside[c]-r.inside[c])*k
		px[c] = channel(v*a*255+float64(px[c])*(1-a), 255)
	}
	px[3] = channel(a*255+float64(px[3])*(1-a), 255)
}

// beam is Beam: a line of light that flies from one point to another.
type beam struct {
	wholeLayer
	from, to, inside, outside                 eval.Vector
	length, time, first, last, softness, over eval.Number
}

func newBeam(p Params) Effect {
	e := &beam{
		from: p.Point("0001"), to: p.Point("0002"), length: p.Number("0003", 0.25), time: p.Number("0004", 0.5), first: p.Number("0005", 8),
		last: p.Number("0006", 8), softness: p.Number("0007", 0.5), inside: p.Color("0008", [4]float64{1, 0.745, 0.98, 1}),
		outside: p.Color("0009", [4]float64{1, 0.098, 0.098, 1}), over: p.Number("0011", 0),
	}
	p.Lack("the exact falloff of the light")
	if e.first.Varies() || e.last.Varies() || e.first.First() != e.last.First() {
		perspective := p.Number("0010", 1)
		p.LackIf(&perspective, above(0), "the perspective")
	}
	return e
}

func (e *beam) Draw(f *Frame, img *raster.Image) error {
	if f.Choice(&e.over) == 0 {
		clear(img.Pix)
	}
	from, to := f.PointOr(&e.from, 0.1, 0.5), f.PointOr(&e.to, 0.9, 0.5)
	way := to.Sub(from)
	square := way.X*way.X + way.Y*way.Y
	// Its head leaves the start at the beginning of the time, its tail reaches the end at the end.
	length := unit(f.Number(&e.length))
	head := unit(f.Number(&e.time)) * (1 + length)
	a, b := max(0, head-length), min(1, head)
	if a >= b || square == 0 {
		return nil
	}
	look := ray{f.Color(&e.inside), f.Color(&e.outside), unit(f.Number(&e.softness))}
	first, last, line := max(0, f.Number(&e.first)), max(0, f.Number(&e.last)), hairline(f)
	paintEach(f, img, func(x, y float64, px []uint8) {
		d := geom.Point{X: x - from.X, Y: y - from.Y}
		t := max(a, min(b, (d.X*way.X+d.Y*way.Y)/square))
		look.paint(px, d.Sub(way.Scale(t)).Len(), (first+(last-first)*t)/2, line)
	})
	return nil
}

// ellipse is Ellipse: a ring of light.
type ellipse struct {
	wholeLayer
	center, inside, outside                  eval.Vector
	width, height, thickness, softness, over eval.Number
}

func newEllipse(p Params) Effect {
	p.Lack("the exact falloff of the light")
	return &ellipse{
		center: p.Point("0001"), width: p.Number("0002", 50), height: p.Number("0003", 50), thickness: p.Number("0004", 8),
		softness: p.Number("0005", 0.5), inside: p.Color("0006", [4]float64{1, 0.745, 0.98, 1}),
		outside: p.Color("0007", [4]float64{1, 0.098, 0.098, 1}), over: p.Number("0008", 0),
	}
}

func (e *ellipse) Draw(f *Frame, img *raster.Image) error {
	if f.Choice(&e.over) == 0 {
		clear(img.Pix)
	}
	center, a, b := f.PointOr(&e.center, 0.5, 0.5), max(0.5, f.Number(&e.width)/2), max(0.5, f.Number(&e.height)/2)
	look := ray{f.Color(&e.inside), f.Color(&e.outside), unit(f.Number(&e.softness))}
	half, line := max(0, f.Number(&e.thickness))/2, hairline(f)
	paintEach(f, img, func(x, y float64, px []uint8) {
		u, v := (x-center.X)/a, (y-center.Y)/b
		// The distance to first order: how far the equation is from being met, by how fast it changes.
		far := max(a, b)
		if slope := math.Sqrt(u*u/(a*a) + v*v/(b*b)); slope > 1e-9 {
			r := math.Sqrt(u*u + v*v)
			far = math.Abs(r-1) * r / slope
		}
		look.paint(px, far, half, line)
	})
	return nil
}
