package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// strobeLight is Strobe Light: for part of each period the layer has one colour, or is transparent.
type strobeLight struct {
	color                                eval.Vector
	keep, duration, period, chance, kind eval.Number
}

// strobeTransparent is the value of Strobe Light's popup "Strobe" that makes the layer transparent.
const strobeTransparent = 2

func newStrobeLight(p Params) Effect {
	p.Unless("0007", 1, "the strobe operator")
	p.Unless("0005", 0, "the random values")
	return &strobeLight{
		color: p.Color("0001", [4]float64{1, 1, 1, 1}), keep: p.Number("0002", 0), duration: p.Number("0003", 0.5), period: p.Number("0004", 1),
		chance: p.Number("0005", 0), kind: p.Number("0006", 1),
	}
}

// Timed implements Timed: it depends on the time.
func (e *strobeLight) Timed() bool { return true }

func (e *strobeLight) lit(f *Frame) bool {
	period, duration := f.Number(&e.period), f.Number(&e.duration)
	if chance := unit(f.Number(&e.chance) / 100); chance > 0 && float64(scatter(f.frameNumber())>>11)/(1<<53) < chance {
		return true
	}
	if !(period > 0) || !(duration > 0) {
		return false
	}
	// A hundredth of a millisecond later, so that rounding does not move a border to the frame after.
	return math.Mod(f.Time+1e-5, period) < duration
}

func (e *strobeLight) Draw(f *Frame, img *raster.Image) error {
	if !e.lit(f) {
		return nil
	}
	keep := f.Share(&e.keep)
	if f.Choice(&e.kind) == strobeTransparent {
		m := mappingOf(func(v float64) float64 { return v * keep })
		for i, v := range img.Pix {
			img.Pix[i] = m[v]
		}
		return nil
	}
	c := rgb(f.Color(&e.color))
	recolor(img, func(was [3]float64) [3]float64 { return towards(c, was, keep) })
	return nil
}
