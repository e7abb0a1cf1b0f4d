package vector

import (
	"math"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// still is an operation that carries nothing elsewhere.
type still struct{}

func (still) reach(geom.Point) float64 { return 0 }

// GaussianBlur blurs a picture by standard deviations, in units of the filter.
type GaussianBlur struct{ X, Y float64 }

func (b GaussianBlur) of(scale geom.Point) raster.Blurring {
	return raster.Gaussian(b.X*scale.X, b.Y*scale.Y)
}

func (b GaussianBlur) reach(scale geom.Point) float64 { return float64(b.of(scale).Reach()) }

func (b GaussianBlur) apply(dst *deep.Image, in []*deep.Image, scale geom.Point) {
	deep.Copy(dst, in[0])
	deep.Blur(dst, b.of(scale))
}

// Offset moves a picture, in units of the filter.
type Offset struct{ X, Y float64 }

func (o Offset) reach(scale geom.Point) float64 {
	return math.Max(math.Abs(o.X*scale.X), math.Abs(o.Y*scale.Y)) + 1
}

func (o Offset) apply(dst *deep.Image, in []*deep.Image, scale geom.Point) {
	deep.Draw(dst, in[0], geom.Translate(o.X*scale.X, o.Y*scale.Y), dst.Rect, 1, deep.Normal, raster.Bilinear)
}

// Flood is a colour everywhere: red, green, blue and alpha from 0 to 1, as the values of its primitive mean them.
type Flood struct {
	still
	Color [4]float64
}

func (o Flood) apply(dst *deep.Image, _ []*deep.Image, _ geom.Point) {
	a := o.Color[3]
	px := [4]float32{float32(o.Color[0] * a), float32(o.Color[1] * a), float32(o.Color[2] * a), float32(a)}
	for i := 0; i+3 < len(dst.Pix); i += 4 {
		copy(dst.Pix[i:i+4], px[:])
	}
}

// Merge draws pictures over each other, the last one on top.
type Merge struct{ still }

func (Merge) apply(dst *deep.Image, in []*deep.Image, _ geom.Point) {
	for _, one := range in {
		deep.Composite(dst, one, 1, deep.Normal)
	}
}

// Blending draws the first picture over the second one, by a mode with a name of After Effects.
type Blending struct {
	still
	Mode string
}

func (o Blending) apply(dst *deep.Image, in []*deep.Image, _ geom.Point) {
	mode, ok := deep.Mode(o.Mode, 0, false)
	if !ok {
		mode = deep.Normal
	}
	deep.Copy(dst, in[1])
	deep.Composite(dst, in[0], 1, mode)
}

// Recoloring gives each pixel another colour: red, green, blue and alpha from 0 to 1, not premultiplied, of which what lies beyond is cut off.
type Recoloring struct {
	still
	Of func(c [4]float64) [4]float64
}

func (o Recoloring) apply(dst *deep.Image, in []*deep.Image, _ geom.Point) {
	deep.Copy(dst, in[0])
	deep.Recolor(dst, func(c [4]float64) [4]float64 {
		c = o.Of(c)
		for i, v := range c {
			c[i] = max(0, min(1, v))
		}
		return c
	})
}

// Composition mixes two pictures: how much of the first one and of the second one a pixel has, by the alphas of both (Porter and Duff, Compositing
// Digital Images, 1984).
type Composition struct {
	still
	Of func(a, b float32) (first, second float32)
}

func (o Composition) apply(dst *deep.Image, in []*deep.Image, _ geom.Point) {
	for i := 0; i+3 < len(dst.Pix); i += 4 {
		a, b := in[0].Pix[i:i+4], in[1].Pix[i:i+4]
		first, second := o.Of(a[3], b[3])
		for k := range 4 {
			dst.Pix[i+k] = a[k]*first + b[k]*second
		}
	}
}

// Arithmetic is K[0]·a·b + K[1]·a + K[2]·b + K[3] of the premultiplied values of two pictures.
type Arithmetic struct {
	still
	K [4]float64
}

func (o Arithmetic) apply(dst *deep.Image, in []*deep.Image, _ geom.Point) {
	k := [4]float32{float32(o.K[0]), float32(o.K[1]), float32(o.K[2]), float32(o.K[3])}
	for i := range dst.Pix {
		a, b := in[0].Pix[i], in[1].Pix[i]
		dst.Pix[i] = k[0]*a*b + k[1]*a + k[2]*b + k[3]
	}
}
