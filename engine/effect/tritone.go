package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// toneMap maps brightness to the mixtures of colours that lie at equal distances, from dark to bright.
type toneMap [][3]float64

func (m toneMap) at(v float64) [3]float64 {
	if len(m) == 1 {
		return m[0]
	}
	at := unit(v) * float64(len(m)-1)
	i := min(int(at), len(m)-2)
	return towards(m[i], m[i+1], at-float64(i))
}

// toner gives brightness colours: Tritone and CC Toner.
type toner struct {
	tones func(f *Frame) []*eval.Vector // from dark to bright
	keep  eval.Number
}

func newTritone(p Params) Effect {
	dark, middle, bright := p.Color("0003", [4]float64{}), p.Color("0002", [4]float64{0.498, 0.392, 0.275, 1}), p.Color("0001", [4]float64{1, 1, 1, 1})
	return &toner{func(*Frame) []*eval.Vector { return []*eval.Vector{&dark, &middle, &bright} }, p.Number("0004", 0)}
}

func (e *toner) Draw(f *Frame, img *raster.Image) error {
	tones := e.tones(f)
	m := make(toneMap, len(tones))
	for i, tone := range tones {
		m[i] = rgb(f.Color(tone))
	}
	keep := f.Share(&e.keep)
	recolor(img, func(c [3]float64) [3]float64 { return towards(m.at(luma(c)), c, keep) })
	return nil
}

// The values of CC Toner's popup "Tones".
const (
	tonerTwo = iota + 1
	tonerThree
	tonerFive
	tonerOne
)

func newCCToner(p Params) Effect {
	bright, brighter := p.Color("0001", [4]float64{1, 1, 1, 1}), p.Color("0006", [4]float64{0.753, 0.667, 0.471, 1})
	middle, darker := p.Color("0002", [4]float64{0.502, 0.392, 0.275, 1}), p.Color("0007", [4]float64{0.251, 0.196, 0.039, 1})
	dark := p.Color("0003", [4]float64{0, 0, 0, 1})
	tones := p.Number("0005", tonerThree)
	return &toner{func(f *Frame) []*eval.Vector {
		switch f.Choice(&tones) {
		case tonerTwo:
			return []*eval.Vector{&dark, &bright}
		case tonerFive:
			return []*eval.Vector{&dark, &darker, &middle, &brighter, &bright}
		case tonerOne:
			return []*eval.Vector{&middle}
		}
		return []*eval.Vector{&dark, &middle, &bright}
	}, p.Number("0004", 0)}
}
