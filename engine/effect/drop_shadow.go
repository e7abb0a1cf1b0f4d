package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// dropShadow draws a blurred copy of the layer's shape under it.
type dropShadow struct {
	color                                        eval.Vector
	opacity, direction, distance, softness, only eval.Number
}

func newDropShadow(p Params) Effect {
	return &dropShadow{
		color: p.Color("0001", [4]float64{0, 0, 0, 1}), opacity: p.Number("0002", 127.5), direction: p.Number("0003", 135),
		distance: p.Number("0004", 5), softness: p.Number("0005", 0), only: p.Number("0006", 0),
	}
}

func (d *dropShadow) sigma(f *Frame) float64 { return f.Number(&d.softness) * f.Scale() * BlurSigma }

func (d *dropShadow) Reach(f *Frame) int {
	return int(math.Ceil(f.Number(&d.distance)*f.Scale())) + raster.BlurReach(d.sigma(f))
}

func (d *dropShadow) Draw(f *Frame, img *raster.Image) error {
	c := f.Color(&d.color)
	opacity := f.Number(&d.opacity) / 255
	sin, cos := math.Sincos(f.Number(&d.direction) * math.Pi / 180)
	far := f.Number(&d.distance) * f.Scale()
	shadow := raster.AlphaOf(img, img.Rect)
	raster.BlurAlpha(shadow, d.sigma(f), d.sigma(f))
	under, release := f.Host.Surface(img.Rect)
	defer release()
	var shades [256]raster.Color
	for a := range shades {
		shades[a] = raster.Premultiply([4]float64{c[0], c[1], c[2], float64(a) / 255 * opacity})
	}
	dark, done := f.Host.Surface(img.Rect)
	defer done()
	for i, a := range shadow.Pix {
		if a != 0 {
			copy(dark.Pix[4*i:4*i+4], shades[a][:])
		}
	}
	// Between pixels too, so that a shadow that moves slowly does not jump.
	if by := geom.Translate(far*sin, -far*cos); by.Finite() {
		raster.Draw(under, dark, by, under.Rect, 1, raster.Normal, raster.Bilinear)
	}
	if f.Choice(&d.only) == 0 {
		raster.Composite(under, img, 1, raster.Normal)
	}
	copy(img.Pix, under.Pix)
	return nil
}
