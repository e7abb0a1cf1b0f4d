package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of Keylight's popup "View" that are drawn; the others show the final result.
const (
	keylightSource       = 1
	keylightScreenMatte  = 5
	keylightStatus       = 6
	keylightIntermediate = 10
)

// keylight is Keylight (1.2) without its masks, colour corrections and crops. Its method is that of colour differences (Vlahos): how much
// stronger the screen's main channel is than a mixture of the other two, compared with the screen itself.
type keylight struct {
	view, gain, balance, clipBlack, clipWhite, grow, soften eval.Number
	screen                                                  eval.Vector
}

func newKeylight(p Params) Effect {
	p.Lack("the exact matte and despill")
	for _, part := range []struct {
		number, what string
		def          float64
	}{
		{"0010", "the screen pre-blur", 0}, {"0014", "the clip rollback", 0}, {"0017", "the despot", 0}, {"0018", "the despot", 0},
		{"0023", "the inside mask", 0}, {"0031", "the outside mask", 0}, {"0036", "the colour correction", 0}, {"0052", "the edge colour correction", 0},
	} {
		p.Unless(part.number, part.def, part.what)
	}
	return &keylight{
		view: p.Number("0002", 11), screen: p.Color("0004", [4]float64{0, 0, 0, 1}), gain: p.Number("0005", 100), balance: p.Number("0006", 50),
		clipBlack: p.Number("0012", 0), clipWhite: p.Number("0013", 100), grow: p.Number("0015", 0), soften: p.Number("0016", 0),
	}
}

// screenKey is a Keylight at a moment.
type screenKey struct {
	screen              [3]float64
	main, high, low     int // channels of the screen, the strongest first
	gain, balance, full float64
	black, white        float64
}

func (e *keylight) at(f *Frame) screenKey {
	k := screenKey{
		screen: rgb(f.Color(&e.screen)), gain: max(0, f.Number(&e.gain)/100), balance: unit(f.Number(&e.balance) / 100),
		black: unit(f.Number(&e.clipBlack) / 100), white: unit(f.Number(&e.clipWhite) / 100),
	}
	k.main, k.high, k.low = channelOrder(k.screen)
	k.full = k.excess(k.screen)
	return k
}

// excess is how much stronger the main channel is than the mixture of the others.
func (k *screenKey) excess(c [3]float64) float64 {
	return c[k.main] - (c[k.high]*k.balance + c[k.low]*(1-k.balance))
}

// matte is 1 for what stays and 0 for the screen; spill is how much of the screen's colour is in c.
func (k *screenKey) matte(c [3]float64) (matte, spill float64) {
	if !(k.full > 1e-3) {
		return 1, 0 // the screen is grey: there is nothing to key
	}
	spill = unit(k.gain * k.excess(c) / k.full)
	return level{k.black, k.white, 1, 0, 1}.at(1 - spill), spill
}

func (e *keylight) Reach(f *Frame) int {
	return pixels(f.Number(&e.grow)*f.Scale()) + raster.BlurReach(f.Number(&e.soften)*f.Scale()*BlurSigma)
}

func (e *keylight) Draw(f *Frame, img *raster.Image) error {
	k := e.at(f)
	switch f.Choice(&e.view) {
	case keylightSource:
		return nil
	case keylightScreenMatte, keylightStatus:
		recolor(img, func(c [3]float64) [3]float64 { v, _ := k.matte(c); return [3]float64{v, v, v} })
		return nil
	}
	despill := f.Choice(&e.view) != keylightIntermediate
	shade(img, func(c [4]float64) [4]float64 {
		if c[3] == 0 {
			return c
		}
		matte, spill := k.matte(rgb(c))
		if despill {
			for i := range 3 {
				c[i] = max(0, c[i]-k.screen[i]*spill)
			}
			// What was taken away made the colour darker; what stays of it is divided by the share that is not the screen.
			if left := 1 - spill; left > 1e-3 {
				for i := range 3 {
					c[i] = min(1, c[i]/left)
				}
			}
		}
		c[3] *= matte
		return c
	})
	tools := edgeTools{e.grow, e.soften}
	tools.drawBy(f, img, -1)
	return nil
}
