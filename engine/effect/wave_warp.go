package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/random"
	"overcrank/engine/raster"
)

// The values of Wave Warp's popup "Wave Type" but the first, a sine.
const (
	waveSquare      = 2
	waveTriangle    = 3
	waveSawtooth    = 4
	waveCircle      = 5
	waveSemicircle  = 6
	waveUncircle    = 7
	waveNoise       = 8
	waveSmoothNoise = 9
)

// waveWarp is Wave Warp: waves run through the layer.
type waveWarp struct {
	kind, height, width, direction, speed, phase eval.Number
	clock                                        Clock
}

func newWaveWarp(p Params) Effect {
	p.Unless("0006", 1, "the pinning")
	e := &waveWarp{
		kind: p.Number("0001", 1), height: p.Number("0002", 10), width: p.Number("0003", 40), direction: p.Number("0004", 90),
		speed: p.Number("0005", 1), phase: p.Number("0007", 0), clock: p.Clock(),
	}
	p.LackIf(&e.kind, func(v float64) bool { return v >= waveNoise }, "the random values")
	return e
}

// Timed implements Timed.
func (e *waveWarp) Timed() bool { return e.speed.Varies() || e.speed.First() != 0 }

// Reach implements Spreading.
func (e *waveWarp) Reach(f *Frame) int {
	return int(math.Ceil(min(1e4, math.Abs(f.Number(&e.height))*f.Scale())))
}

// wave is the height of a wave, from -1 to 1, at a position in wavelengths.
func wave(kind int, at float64) float64 {
	n := math.Floor(at)
	v := at - n
	sign, half := 1.0, 4*math.Mod(v, 0.5)-1
	if v >= 0.5 {
		sign = -1
	}
	arc := math.Sqrt(max(0, 1-half*half)) // half a circle in each half of the wave
	switch kind {
	case waveSquare:
		return sign
	case waveTriangle:
		return 1 - 4*math.Abs(math.Mod(v+0.25, 1)-0.5)
	case waveSawtooth:
		return 2*v - 1
	case waveCircle:
		return sign * arc
	case waveSemicircle:
		return 2*math.Sqrt(max(0, 1-(2*v-1)*(2*v-1))) - 1
	case waveUncircle:
		return sign * (1 - arc)
	case waveNoise:
		return 2*random.At(0, lattice(n), 0, 0) - 1
	case waveSmoothNoise:
		a, b := random.At(0, lattice(n), 0, 0), random.At(0, lattice(n)+1, 0, 0)
		return 2*(a+(b-a)*smooth(v)) - 1
	}
	return math.Sin(2 * math.Pi * v)
}

// smooth rises from 0 to 1 without a corner at either.
func smooth(v float64) float64 { return v * v * (3 - 2*v) }

func (e *waveWarp) Draw(f *Frame, img *raster.Image) error {
	way, kind := heading(f.Number(&e.direction)), f.Choice(&e.kind)
	across := geom.Point{X: -way.Y, Y: way.X}
	height, width := f.Number(&e.height), max(1, f.Number(&e.width))
	phase := f.Number(&e.phase)/360 - f.Number(&e.speed)*e.clock.At(f.Time)
	warp(f, img, edgeNothing, func(p geom.Point) (geom.Point, bool) {
		return p.Add(across.Scale(height * wave(kind, (p.X*way.X+p.Y*way.Y)/width+phase))), true
	})
	return nil
}
