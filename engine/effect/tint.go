package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// tint maps black and white to two colours, and the values between to their mixture.
type tint struct {
	black, white eval.Vector
	amount       eval.Number // per cent
}

func newTint(p Params) Effect {
	return &tint{p.Color("0001", [4]float64{0, 0, 0, 1}), p.Color("0002", [4]float64{1, 1, 1, 1}), p.Number("0003", 100)}
}

func (e *tint) Draw(f *Frame, img *raster.Image) error {
	black, white, amount := f.Color(&e.black), f.Color(&e.white), unit(f.Number(&e.amount)/100)
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px := img.Pix[i : i+4]
		a := float64(px[3])
		luma := 0.299*float64(px[0]) + 0.587*float64(px[1]) + 0.114*float64(px[2])
		for j := range 3 {
			tinted := black[j]*a + (white[j]-black[j])*luma
			px[j] = channel(float64(px[j])+(tinted-float64(px[j]))*amount, a)
		}
	}
	return nil
}
