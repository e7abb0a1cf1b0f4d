package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// maxRadioWaves limits the waves that are seen at once.
const maxRadioWaves = 500

// radioWaves is Radio Waves: rings or polygons that grow from a point.
type radioWaves struct {
	wholeLayer
	center, color                                                                         eval.Vector
	kind, sides, star, depth, frequency, expansion, turn, direction, velocity, spin, life eval.Number
	opacity, fadeIn, fadeOut, first, last                                                 eval.Number
	clock                                                                                 Clock
}

func newRadioWaves(p Params) Effect {
	p.Lack("the exact speed")
	e := &radioWaves{
		center: p.Point("0004"), kind: p.Number("0002", 1), sides: p.Number("0008", 64), star: p.Number("0014", 0), depth: p.Number("0016", -0.5),
		frequency: p.Number("0034", 1), expansion: p.Number("0036", 5), turn: p.Number("0038", 0), direction: p.Number("0042", 90),
		velocity: p.Number("0040", 0), spin: p.Number("0044", 0), life: p.Number("0056", 10), color: p.Color("0046", [4]float64{0, 0, 1, 1}),
		opacity: p.Number("0054", 1), fadeIn: p.Number("0058", 0), fadeOut: p.Number("0060", 5), first: p.Number("0050", 5),
		last: p.Number("0052", 5), clock: p.Clock(),
	}
	p.LackIf(&e.kind, func(v float64) bool { return v != 1 }, "the wave type")
	for number, usual := range map[string]float64{"0010": 0, "0012": 0, "0048": 1, "0062": 0} {
		p.Unless(number, usual, "the curves, the profile or the reflection")
	}
	return e
}

// Timed implements Timed.
func (e *radioWaves) Timed() bool { return true }

func (e *radioWaves) Draw(f *Frame, img *raster.Image) error {
	clear(img.Pix)
	now := e.clock.At(f.Time)
	frequency, life := max(0, f.Number(&e.frequency)), max(0, f.Number(&e.life))
	if frequency == 0 || now < 0 {
		return nil
	}
	newest := math.Floor(now * frequency)
	for i := range maxRadioWaves {
		n := newest - float64(i)
		age := now - n/frequency
		if n < 0 || age > life {
			break
		}
		e.wave(f, img, age, life)
	}
	return nil
}

// wave paints one wave.
func (e *radioWaves) wave(f *Frame, img *raster.Image, age, life float64) {
	center := f.PointOr(&e.center, 0.5, 0.5).Add(heading(f.Number(&e.direction)).Scale(f.Number(&e.velocity) * age))
	radius := f.Number(&e.expansion) * 10 * age
	n, inner := int(max(3, min(128, f.Number(&e.sides)))), radius
	if f.Choice(&e.star) != 0 {
		n, inner = 2*n, radius*max(0, 1+f.Number(&e.depth))
	}
	opacity := f.Share(&e.opacity)
	if fade := f.Number(&e.fadeIn); fade > 0 {
		opacity *= unit(age / fade)
	}
	if fade := f.Number(&e.fadeOut); fade > 0 {
		opacity *= unit((life - age) / fade)
	}
	width := f.Number(&e.first) + (f.Number(&e.last)-f.Number(&e.first))*age/max(life, 1e-6)
	s := raster.Shape{Outline: star(center, n, radius, inner, f.Number(&e.turn)+f.Number(&e.spin)*age), Color: f.Color(&e.color)}
	s.Color[3], s.Stroke = opacity, &raster.StrokeStyle{Width: max(0.1, min(1e4, width)), Join: raster.RoundJoin}
	f.Host.Paint(img, &s, f.Matrix)
}
