package render

import "overcrank/engine/raster"

// fillEffect gives every pixel one colour and keeps its transparency.
var fillEffect = effect{
	apply: func(p params, img *raster.Image) {
		c := p.color("ADBE Fill-0002", [4]float64{1, 0, 0, 1})
		opacity := p.share("ADBE Fill-0005", 1)
		k := raster.Premultiply([4]float64{c[0], c[1], c[2], opacity})
		for i := 0; i+3 < len(img.Pix); i += 4 {
			a := uint32(img.Pix[i+3])
			if a == 0 {
				continue
			}
			for j := range 3 {
				img.Pix[i+j] = uint8((uint32(k[j])*a + uint32(img.Pix[i+j])*(255-uint32(k[3])) + 127) / 255)
			}
		}
	},
}
