package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of Invert's popup "Channel" that are drawn; the later ones invert in other colour spaces.
const (
	invertRGB = iota + 1
	invertRed
	invertGreen
	invertBlue
)

// invert inverts colours.
type invert struct{ channel, keep eval.Number }

func newInvert(p Params) Effect {
	e := &invert{p.Number("0001", invertRGB), p.Number("0002", 0)}
	if which := e.channel.First(); which < invertRGB || which > invertBlue {
		p.Lack("its channel")
	}
	return e
}

func (e *invert) Draw(f *Frame, img *raster.Image) error {
	which := f.Choice(&e.channel)
	if which < invertRGB || which > invertBlue {
		return nil
	}
	keep := f.Share(&e.keep)
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px := img.Pix[i : i+4]
		for c := range 3 {
			if which == invertRGB || which == invertRed+c {
				v := float64(px[3]) - float64(px[c])
				px[c] = channel(v+(float64(px[c])-v)*keep, float64(px[3]))
			}
		}
	}
	return nil
}
