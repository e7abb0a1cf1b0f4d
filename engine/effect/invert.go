package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of Invert's popup "Channel". Lines between the groups count too.
const (
	invertRGB = iota + 1
	invertRed
	invertGreen
	invertBlue
	_
	invertHLS
	invertHue
	invertLightness
	invertSaturation
	_
	invertYIQ
	invertLuminance
	invertInPhase
	invertQuadrature
	_
	invertAlpha
)

// invert inverts channels.
type invert struct{ channel, keep eval.Number }

func newInvert(p Params) Effect { return &invert{p.Number("0001", invertRGB), p.Number("0002", 0)} }

func (e *invert) Draw(f *Frame, img *raster.Image) error {
	which, keep := f.Choice(&e.channel), f.Share(&e.keep)
	switch {
	case which >= invertRGB && which <= invertBlue:
		var maps [3]*mapping
		for i := range maps {
			maps[i] = identity()
			if which == invertRGB || which == invertRed+i {
				maps[i] = mappingOf(func(v float64) float64 { return 1 - v + (2*v-1)*keep })
			}
		}
		lookUp(img, maps)
	case which >= invertHLS && which <= invertSaturation:
		recolor(img, func(c [3]float64) [3]float64 { return towards(inverseHLS(c, which), c, keep) })
	case which >= invertYIQ && which <= invertQuadrature:
		recolor(img, func(c [3]float64) [3]float64 { return towards(inverseYIQ(c, which), c, keep) })
	case which == invertAlpha:
		shade(img, func(c [4]float64) [4]float64 {
			c[3] = 1 - c[3] + (2*c[3]-1)*keep
			return c
		})
	}
	return nil
}

func inverseHLS(c [3]float64, which int) [3]float64 {
	v := toHLS([4]float64{c[0], c[1], c[2], 1})
	if which == invertHLS || which == invertHue {
		v.h += 0.5
	}
	if which == invertHLS || which == invertLightness {
		v.l = 1 - v.l
	}
	if which == invertHLS || which == invertSaturation {
		v.s = 1 - v.s
	}
	return v.rgb()
}

// inverseYIQ inverts in the colours of NTSC television (FCC, 47 CFR 73.682).
func inverseYIQ(c [3]float64, which int) [3]float64 {
	y := luma(c)
	i := 0.5959*c[0] - 0.2746*c[1] - 0.3213*c[2]
	q := 0.2115*c[0] - 0.5227*c[1] + 0.3112*c[2]
	if which == invertYIQ || which == invertLuminance {
		y = 1 - y
	}
	if which == invertYIQ || which == invertInPhase {
		i = -i
	}
	if which == invertYIQ || which == invertQuadrature {
		q = -q
	}
	return [3]float64{y + 0.956*i + 0.619*q, y - 0.272*i - 0.647*q, y - 1.106*i + 1.703*q}
}
