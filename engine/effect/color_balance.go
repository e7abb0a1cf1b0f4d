package effect

import (
	"fmt"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// colorBalance is the newer Color Balance: shadows, middle tones and highlights.
type colorBalance struct {
	tones [3][3]eval.Number // of shadows, middle tones and highlights: red, green, blue, -100 to 100
	keep  eval.Number
}

func newColorBalance(p Params) Effect {
	p.Lack("the exact response")
	e := &colorBalance{keep: p.Number("0010", 0)}
	for i := range e.tones {
		for j := range e.tones[i] {
			e.tones[i][j] = p.Number(fmt.Sprintf("%04d", 1+3*i+j), 0)
		}
	}
	return e
}

func (e *colorBalance) Draw(f *Frame, img *raster.Image) error {
	var by [3][3]float64
	for i := range by {
		for j := range by[i] {
			by[i][j] = f.Number(&e.tones[i][j]) / 100
		}
	}
	keep := f.Choice(&e.keep) != 0
	recolor(img, func(c [3]float64) [3]float64 {
		out := c
		for i, share := range toneShares((max(c[0], c[1], c[2]) + min(c[0], c[1], c[2])) / 2) {
			for j := range out {
				out[j] += by[i][j] * share
			}
		}
		if !keep {
			return out
		}
		for j := range out {
			out[j] = unit(out[j])
		}
		return raster.WithLuminosity(out, raster.LuminosityOf(c))
	})
	return nil
}

// toneShares is how much a lightness belongs to shadows, middle tones and highlights. After Effects' shares are not published; these are
// those of GIMP's Color Balance: they change over a quarter around a third of the range, and the most that a colour moves is 0.7.
func toneShares(v float64) [3]float64 {
	const width, border, most = 0.25, 0.333, 0.7
	dark, bright := unit((v-border)/-width+0.5), unit((v+border-1)/width+0.5)
	return [3]float64{dark * most, unit((v-border)/width+0.5) * unit((v+border-1)/-width+0.5) * most, bright * most}
}

// firstColorBalance is the older Color Balance: each colour more or less.
type firstColorBalance [3]eval.Number

func newFirstColorBalance(p Params) Effect {
	return &firstColorBalance{p.Number("0001", 0), p.Number("0002", 0), p.Number("0003", 0)}
}

func (e *firstColorBalance) Draw(f *Frame, img *raster.Image) error {
	var maps [3]*mapping
	for i := range maps {
		gain := 1 + f.Number(&e[i])/100
		maps[i] = mappingOf(func(v float64) float64 { return v * gain })
	}
	lookUp(img, maps)
	return nil
}
