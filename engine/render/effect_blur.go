package render

import "overcrank/engine/raster"

// blurSigma is the standard deviation for one pixel of a blur, a shadow's softness or a mask's feather. After Effects
// does not document it; this value looks closest.
const blurSigma = 0.3

func blurSigmas(p params) (x, y float64) {
	s := p.number(p.group.Match+"-0001", 0) * blurSigma * p.scale()
	x, y = s, s
	switch p.number(p.group.Match+"-0002", 1) {
	case 2:
		y = 0
	case 3:
		x = 0
	}
	return x, y
}

// gaussianBlurEffect is Gaussian Blur, in both versions that projects use.
var gaussianBlurEffect = effect{
	reach: func(p params) int {
		x, y := blurSigmas(p)
		return raster.BlurReach(max(x, y))
	},
	apply: func(p params, img *raster.Image) {
		x, y := blurSigmas(p)
		raster.Blur(img, x, y)
	},
	directed: func(p params) bool {
		x, y := blurSigmas(p)
		return x != y
	},
}
