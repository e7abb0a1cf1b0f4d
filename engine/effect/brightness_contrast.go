package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// brightnessContrast is Brightness & Contrast. Its first version, and the newer one with Use Legacy, are linear.
type brightnessContrast struct {
	brightness, contrast, legacy eval.Number
	first                        bool
}

func newBrightnessContrast(p Params) Effect {
	return &brightnessContrast{p.Number("0001", 0), p.Number("0002", 0), p.Number("0003", 0), false}
}

func newBrightnessContrast1(p Params) Effect {
	return &brightnessContrast{p.Number("0001", 0), p.Number("0002", 0), p.Number("0003", 1), true}
}

func (e *brightnessContrast) Draw(f *Frame, img *raster.Image) error {
	b, c := f.Number(&e.brightness), f.Number(&e.contrast)
	of := contrastCurve(b, c)
	if e.first || f.Choice(&e.legacy) != 0 {
		of = contrastLine(b, c)
	}
	m := mappingOf(of)
	lookUp(img, [3]*mapping{m, m, m})
	return nil
}

// contrastLine moves values by a brightness of -100 to 100 of 255, and turns the line around the middle by a contrast of -100, all grey, to 100,
// all black or white. Where contrast is raised, brightness comes first.
func contrastLine(brightness, contrast float64) func(v float64) float64 {
	b, c := max(-100, min(100, brightness))/255, max(-100, min(100, contrast))/100
	slope := 1 + c
	if c > 0 {
		slope = 1 / max(1-c, 1e-6)
	}
	offset := (1-slope)/2 + b*max(slope, 1)
	return func(v float64) float64 { return v*slope + offset }
}

// contrastCurve are curves that were fitted to what After Effects draws, by the authors of Skia's Lottie player: for brightness
// 1-(1-v)^(2^1.8b), for contrast v-c·sin(2πv)/3π, with b and c of -1 to 1.
func contrastCurve(brightness, contrast float64) func(v float64) float64 {
	power := math.Exp2(1.8 * max(-150, min(150, brightness)) / 150)
	c := max(-50, min(100, contrast)) / 100
	return func(v float64) float64 {
		v = 1 - math.Pow(1-v, power)
		return v - c*math.Sin(2*math.Pi*v)/(3*math.Pi)
	}
}
