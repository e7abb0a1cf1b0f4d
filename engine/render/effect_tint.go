package render

import "overcrank/engine/raster"

// tintEffect maps black and white to two colours, and the values between to their mixture.
var tintEffect = effect{
	apply: func(p params, img *raster.Image) {
		black := p.color("ADBE Tint-0001", [4]float64{0, 0, 0, 1})
		white := p.color("ADBE Tint-0002", [4]float64{1, 1, 1, 1})
		amount := max(0, min(1, p.number("ADBE Tint-0003", 100)/100))
		for i := 0; i+3 < len(img.Pix); i += 4 {
			px := img.Pix[i : i+4]
			a := float64(px[3])
			luma := 0.299*float64(px[0]) + 0.587*float64(px[1]) + 0.114*float64(px[2])
			for j := range 3 {
				tinted := black[j]*a + (white[j]-black[j])*luma
				px[j] = channel(float64(px[j])+(tinted-float64(px[j]))*amount, a)
			}
		}
	},
}
