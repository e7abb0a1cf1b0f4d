package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// around moves the pixels within an ellipse: turn gives, for the distance from its centre, from 0 to below 1, the factor by which the
// vector from the centre is scaled, and the angle in radians by which it is turned, to find what is seen there.
func around(f *Frame, img *raster.Image, center, radius geom.Point, turn func(r float64) (scale, angle float64)) {
	if !(radius.X > 0 && radius.Y > 0) {
		return
	}
	warp(f, img, edgeNothing, func(p geom.Point) (geom.Point, bool) {
		d := p.Sub(center)
		u, v := d.X/radius.X, d.Y/radius.Y
		r := u*u + v*v
		if r >= 1 {
			return p, true
		}
		k, angle := turn(math.Sqrt(r))
		if angle != 0 {
			sin, cos := math.Sincos(angle)
			d = geom.Point{X: d.X*cos - d.Y*sin, Y: d.X*sin + d.Y*cos}
		}
		return center.Add(d.Scale(k)), true
	})
}

// bulge bends the layer as if it were seen through a drop.
type bulge struct {
	wholeLayer
	width, height, amount, taper eval.Number
	center                       eval.Vector
}

func newBulge(p Params) Effect {
	p.Lack("the exact curve")
	p.Unless("0007", 0, "the pinning")
	return &bulge{
		width: p.Number("0001", 50), height: p.Number("0002", 50), center: p.Point("0003"), amount: p.Number("0004", 1), taper: p.Number("0005", 0),
	}
}

func (e *bulge) Draw(f *Frame, img *raster.Image) error {
	amount, taper := max(-4, min(4, f.Number(&e.amount))), max(0, f.Number(&e.taper))
	around(f, img, f.PointOr(&e.center, 0.5, 0.5), geom.Point{X: f.Number(&e.width), Y: f.Number(&e.height)}, func(r float64) (float64, float64) {
		slope := 1 - r*r
		return math.Exp(-amount * math.Pow(slope, 2+taper/100)), 0
	})
	return nil
}

// spherize wraps a disc of the layer around a ball: the middle comes nearer.
type spherize struct {
	wholeLayer
	radius eval.Number
	center eval.Vector
}

func newSpherize(p Params) Effect {
	p.Lack("the exact curve")
	return &spherize{radius: p.Number("0001", 0), center: p.Point("0002")}
}

func (e *spherize) Draw(f *Frame, img *raster.Image) error {
	radius := f.Number(&e.radius)
	// A place on the ball is as far from its pole as its angle; what is seen at r is asin(r) away.
	around(f, img, f.PointOr(&e.center, 0.5, 0.5), geom.Point{X: radius, Y: radius}, func(r float64) (float64, float64) {
		if r < 1e-6 {
			return 2 / math.Pi, 0
		}
		return math.Asin(r) * 2 / math.Pi / r, 0
	})
	return nil
}

// lens is CC Lens: the layer within a ball of glass, and nothing around it.
type lens struct {
	wholeLayer
	center      eval.Vector
	size, power eval.Number
}

func newLens(p Params) Effect {
	p.Lack("the exact curve")
	return &lens{center: p.Point("0001"), size: p.Number("0002", 50), power: p.Number("0003", 100)}
}

func (e *lens) Draw(f *Frame, img *raster.Image) error {
	center, power := f.PointOr(&e.center, 0.5, 0.5), max(-1, min(2, f.Number(&e.power)/100))
	radius := max(1e-6, f.Number(&e.size)/100*max(f.Size.X, f.Size.Y)/2)
	soft := hairline(f)
	reveal(f, img, func(p geom.Point) float64 { return 0.5 + (2*radius-p.Sub(center).Len())/soft })
	around(f, img, center, geom.Point{X: 2 * radius, Y: 2 * radius}, func(r float64) (float64, float64) {
		return 1 + power*(math.Sqrt(1-r*r)*-0.5), 0
	})
	return nil
}

// twirl turns the layer around a point, most in the middle.
type twirl struct {
	wholeLayer
	angle, radius eval.Number
	center        eval.Vector
}

func newTwirl(p Params) Effect {
	p.Lack("the exact curve")
	return &twirl{angle: p.Number("0001", 0), radius: p.Number("0002", 30), center: p.Point("0003")}
}

func (e *twirl) Draw(f *Frame, img *raster.Image) error {
	// The radius is a percentage of the layer's width or height, whichever is greater.
	radius := f.Number(&e.radius) / 100 * max(f.Size.X, f.Size.Y)
	angle := f.Number(&e.angle) * math.Pi / 180
	around(f, img, f.PointOr(&e.center, 0.5, 0.5), geom.Point{X: radius, Y: radius}, func(r float64) (float64, float64) {
		return 1, -angle * (1 - r) * (1 - r)
	})
	return nil
}

// ripple moves the layer in rings that travel from a point.
type ripple struct {
	wholeLayer
	radius, kind, speed, width, height, phase eval.Number
	center                                    eval.Vector
	clock                                     Clock
}

func newRipple(p Params) Effect {
	p.Lack("the exact curve")
	return &ripple{
		radius: p.Number("0001", 0), center: p.Point("0002"), kind: p.Number("0003", 1), speed: p.Number("0004", 1), width: p.Number("0005", 20),
		height: p.Number("0006", 20), phase: p.Number("0007", 0), clock: p.Clock(),
	}
}

// Timed implements Timed.
func (e *ripple) Timed() bool { return e.speed.Varies() || e.speed.First() != 0 }

func (e *ripple) Draw(f *Frame, img *raster.Image) error {
	radius := f.Number(&e.radius) / 100 * max(f.Size.X, f.Size.Y)
	width, height := max(1, f.Number(&e.width)), f.Number(&e.height)
	sideways := f.Choice(&e.kind) == 1 // asymmetric
	phase := f.Number(&e.phase)*math.Pi/180 - 2*math.Pi*f.Number(&e.speed)*e.clock.At(f.Time)
	around(f, img, f.PointOr(&e.center, 0.5, 0.5), geom.Point{X: radius, Y: radius}, func(r float64) (float64, float64) {
		far := r * radius
		if far < 1e-6 {
			return 1, 0
		}
		sin, cos := math.Sincos(2*math.Pi*far/width + phase)
		by := height / 2 * (1 - r) / far
		if sideways {
			return 1 + by*sin, math.Atan(by * cos / 2)
		}
		return 1 + by*sin, 0
	})
	return nil
}
