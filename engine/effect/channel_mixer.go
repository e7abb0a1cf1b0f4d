package effect

import (
	"fmt"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// channelMixer is Channel Mixer: each colour of red, green, blue and a constant, per cent.
type channelMixer struct {
	shares     [3][4]eval.Number
	monochrome eval.Number
}

func newChannelMixer(p Params) Effect {
	e := &channelMixer{monochrome: p.Number("0013", 0)}
	for i := range e.shares {
		for j := range e.shares[i] {
			def := 0.0
			if i == j {
				def = 100
			}
			e.shares[i][j] = p.Number(fmt.Sprintf("%04d", 1+4*i+j), def)
		}
	}
	return e
}

func (e *channelMixer) Draw(f *Frame, img *raster.Image) error {
	recolor(img, e.of(f))
	return nil
}

// of is what the effect makes of a colour at a moment.
func (e *channelMixer) of(f *Frame) func(c [3]float64) [3]float64 {
	var k [3][4]float64
	for i := range k {
		for j := range k[i] {
			k[i][j] = f.Number(&e.shares[i][j]) / 100
		}
	}
	if f.Choice(&e.monochrome) != 0 {
		k[1], k[2] = k[0], k[0]
	}
	return func(c [3]float64) (out [3]float64) {
		for i := range out {
			out[i] = k[i][0]*c[0] + k[i][1]*c[1] + k[i][2]*c[2] + k[i][3]
		}
		return out
	}
}
