package effect

import (
	"fmt"
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// linear is the light of an sRGB value (IEC 61966-2-1), encoded its inverse.
func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func encoded(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}

// exposure is Exposure: light times a power of two, plus an offset, to a gamma.
type exposure struct {
	channels, bypass eval.Number
	stops            [4][3]eval.Number // exposure, offset and gamma of all colours, red, green and blue
}

func newExposure(p Params) Effect {
	e := &exposure{channels: p.Number("0001", 1), bypass: p.Number("0022", 0)}
	for i := range e.stops {
		for j, def := range [3]float64{0, 0, 1} {
			e.stops[i][j] = p.Number(fmt.Sprintf("%04d", 3+5*i+j), def)
		}
	}
	return e
}

// exposureEach is the value of Exposure's popup "Channels" for settings of each colour.
const exposureEach = 2

func (e *exposure) Draw(f *Frame, img *raster.Image) error {
	bypass := f.Choice(&e.bypass) != 0
	var maps [3]*mapping
	for i := range maps {
		s := &e.stops[0]
		if f.Choice(&e.channels) == exposureEach {
			s = &e.stops[1+i]
		}
		gain, offset, gamma := math.Exp2(f.Number(&s[0])), f.Number(&s[1]), max(f.Number(&s[2]), 0.01)
		maps[i] = mappingOf(func(v float64) float64 {
			if bypass {
				return math.Pow(max(v*gain+offset, 0), 1/gamma)
			}
			return encoded(math.Pow(max(linear(v)*gain+offset, 0), 1/gamma))
		})
	}
	lookUp(img, maps)
	return nil
}

// gammaPedestalGain is Gamma/Pedestal/Gain: for each colour the lowest and the highest value, and a gamma between.
type gammaPedestalGain [3][3]eval.Number

func newGammaPedestalGain(p Params) Effect {
	var e gammaPedestalGain
	p.Unless("0001", 1, "the black stretch")
	for i := range e {
		for j, def := range [3]float64{1, 0, 1} {
			e[i][j] = p.Number(fmt.Sprintf("%04d", 2+3*i+j), def)
		}
	}
	return &e
}

func (e *gammaPedestalGain) Draw(f *Frame, img *raster.Image) error {
	var maps [3]*mapping
	for i := range maps {
		maps[i] = mappingOf(level{0, 1, f.Number(&e[i][0]), f.Number(&e[i][1]), f.Number(&e[i][2])}.at)
	}
	lookUp(img, maps)
	return nil
}
