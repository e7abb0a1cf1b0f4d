package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// radialShadow is Radial Shadow: the shadow that a lamp near the layer casts, larger than the layer.
type radialShadow struct {
	color                             eval.Vector
	opacity, distance, softness, only eval.Number
	light                             eval.Vector
}

func newRadialShadow(p Params) Effect {
	p.Lack("the exact size and softness")
	p.Unless("0006", 1, "the glass edge")
	return &radialShadow{
		color: p.Color("0001", [4]float64{0, 0, 0, 1}), opacity: p.Number("0002", 0.5), light: p.Point("0003"), distance: p.Number("0004", 10),
		softness: p.Number("0005", 0), only: p.Number("0008", 0),
	}
}

// growth is how much larger than the layer the shadow is: by the distance, per cent.
func (e *radialShadow) growth(f *Frame) float64 { return max(0, min(10, f.Number(&e.distance)/100)) }

func (e *radialShadow) blurring(f *Frame) raster.Blurring {
	s := f.Number(&e.softness) * BlurSigma * f.Scale()
	return raster.Gaussian(s, s)
}

func (e *radialShadow) Reach(f *Frame) int {
	light := f.PointOr(&e.light, 0.5, 0.5)
	far := math.Hypot(max(math.Abs(light.X), math.Abs(f.Size.X-light.X)), max(math.Abs(light.Y), math.Abs(f.Size.Y-light.Y)))
	return pixels(far*e.growth(f)*f.Scale()) + e.blurring(f).Reach()
}

func (e *radialShadow) Draw(f *Frame, img *raster.Image) error {
	c, opacity := f.Color(&e.color), f.Share(&e.opacity)
	dark, release := f.Host.Surface(img.Rect)
	defer release()
	copy(dark.Pix, img.Pix)
	each(dark, func(px [4]uint8) [4]uint8 {
		return raster.Premultiply([4]float64{c[0], c[1], c[2], float64(px[3]) / 255 * opacity})
	})
	under, done := f.Host.Surface(img.Rect)
	defer done()
	at, k := f.Matrix.Apply(f.PointOr(&e.light, 0.5, 0.5)), 1+e.growth(f)
	if m := geom.Translate(at.X, at.Y).Mul(geom.Scale(k, k)).Mul(geom.Translate(-at.X, -at.Y)); m.Finite() {
		raster.Draw(under, dark, m, under.Rect, 1, raster.Normal, raster.Bilinear)
	}
	e.blurring(f).Image(under)
	if f.Choice(&e.only) == 0 {
		raster.Composite(under, img, 1, raster.Normal)
	}
	copy(img.Pix, under.Pix)
	return nil
}
