package render

import (
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// maxBands limits the dots of a spectrum.
const maxBands = 4096

// audioSpectrumEffect is Audio Spectrum for silence: a dot for each band. Its movement with the sound is not drawn.
var audioSpectrumEffect = effect{
	apply: func(p params, img *raster.Image) {
		if layer := p.group.Child("ADBE AudSpect-0001"); layer != nil && (layer.LayerRef != 0 || layer.Float(0) != 0) {
			p.w.r.undrawn(p.v, "how effect '"+displayName(p.group)+"' moves to the sound")
		}
		if p.number("ADBE AudSpect-0023", 0) == 0 {
			clear(img.Pix)
		}
		x0, y0 := p.w.pair(p.v, p.group, "ADBE AudSpect-0002", 0, 0)
		x1, y1 := p.w.pair(p.v, p.group, "ADBE AudSpect-0003", 0, 0)
		start, end := geom.Point{X: x0, Y: y0}, geom.Point{X: x1, Y: y1}
		bands := int(math.Max(1, math.Min(maxBands, p.number("ADBE AudSpect-0008", 64))))
		size := p.number("ADBE AudSpect-0012", 3)
		dots := raster.Shape{Color: p.color("ADBE AudSpect-0014", [4]float64{1, 1, 1, 1})}
		for i := range bands {
			at := start
			if bands > 1 {
				at = start.Lerp(end, float64(i)/float64(bands-1))
			}
			dots.Outline.Append(geom.EllipseOutline(at.X, at.Y, size, size))
		}
		p.w.paint(img, &dots, p.v.m)
	},
}
