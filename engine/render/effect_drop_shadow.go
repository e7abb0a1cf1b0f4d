package render

import (
	"image"
	"math"

	"overcrank/engine/raster"
)

// dropShadowEffect draws a blurred copy of the layer's shape under it.
var dropShadowEffect = effect{
	reach: func(p params) int {
		return int(math.Ceil(p.number("ADBE Drop Shadow-0004", 5)*p.scale())) + raster.BlurReach(softness(p))
	},
	apply: func(p params, img *raster.Image) {
		c := p.color("ADBE Drop Shadow-0001", [4]float64{0, 0, 0, 1})
		opacity := p.number("ADBE Drop Shadow-0002", 127.5) / 255
		sin, cos := math.Sincos(p.number("ADBE Drop Shadow-0003", 135) * math.Pi / 180)
		far := p.number("ADBE Drop Shadow-0004", 5) * p.scale()
		only := p.number("ADBE Drop Shadow-0006", 0) != 0
		shadow := alphaOf(img, img.Rect)
		raster.BlurAlpha(shadow, softness(p), softness(p))
		dx, dy := int(math.Round(far*sin)), int(math.Round(-far*cos))
		under := image.NewRGBA(img.Rect)
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				a := float64(shadow.AlphaAt(x-dx, y-dy).A) / 255 * opacity
				if a == 0 {
					continue
				}
				k := raster.Premultiply([4]float64{c[0], c[1], c[2], a})
				copy(under.Pix[under.PixOffset(x, y):], k[:])
			}
		}
		if !only {
			raster.Composite(under, img, 1, raster.Normal)
		}
		copy(img.Pix, under.Pix)
	},
	directed: func(p params) bool { return p.number("ADBE Drop Shadow-0004", 5) != 0 },
}

func softness(p params) float64 { return p.number("ADBE Drop Shadow-0005", 0) * p.scale() * blurSigma }
