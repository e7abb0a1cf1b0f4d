package render

import "overcrank/engine/raster"

// The values of Invert's popup "Channel" that are drawn; the later ones invert in other colour spaces.
const (
	invertRGB = iota + 1
	invertRed
	invertGreen
	invertBlue
)

// invertEffect inverts colours.
var invertEffect = effect{
	apply: func(p params, img *raster.Image) {
		which := int(p.number("ADBE Invert-0001", invertRGB))
		if which < invertRGB || which > invertBlue {
			p.w.r.undrawn(p.v, "the channel of effect '"+displayName(p.group)+"'")
			return
		}
		keep := p.share("ADBE Invert-0002", 0)
		for i := 0; i+3 < len(img.Pix); i += 4 {
			px := img.Pix[i : i+4]
			for c := range 3 {
				if which == invertRGB || which == invertRed+c {
					v := float64(px[3]) - float64(px[c])
					px[c] = channel(v+(float64(px[c])-v)*keep, float64(px[3]))
				}
			}
		}
	},
}
