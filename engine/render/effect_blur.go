package render

import "overcrank/engine/raster"

// blurSigma is the deviation of a blur, a shadow's softness or a mask's feather of one pixel. What those come to in
// After Effects is not written anywhere; this looks closest.
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

// gaussianBlurEffect is Gaussian Blur, in both the versions that projects hold.
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
