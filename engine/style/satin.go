package style

import (
	"image"
	"math"

	"overcrank/engine/effect"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// satin is Satin: where two blurred copies of the layer, moved apart, differ.
type satin struct {
	ink
	color                         eval.Vector
	angle, distance, size, invert eval.Number
}

func newSatin(p Params) Style {
	p.lack("the contour")
	return &satin{
		ink: p.ink(multiply, 50), color: p.color("color", 0, 0, 0), angle: p.number("localLightingAngle", 19), distance: p.number("distance", 11),
		size: p.number("blur", 14), invert: p.number("invert", 1),
	}
}

func (s *satin) sigma(f *Frame) float64 { return f.length(&s.size) * effect.BlurSigma }

func (s *satin) Reach(f *Frame) int {
	return int(math.Ceil(f.length(&s.distance))) + 1 + raster.BlurReach(s.sigma(f))
}

func (s *satin) Paint(f *Frame, c *Canvas) {
	soft := copied(c.Shape)
	raster.BlurAlpha(soft, s.sigma(f), s.sigma(f))
	sin, cos := math.Sincos(f.number(&s.angle) * math.Pi / 180)
	way := geom.Point{X: cos * f.length(&s.distance), Y: -sin * f.length(&s.distance)}
	a, b := moved(soft, way, 0), moved(soft, geom.Point{X: -way.X, Y: -way.Y}, 0)
	sheen := image.NewAlpha(soft.Rect)
	for i, k := range a.Pix {
		sheen.Pix[i] = max(k, b.Pix[i]) - min(k, b.Pix[i])
	}
	if f.choice(&s.invert) != 0 {
		sheen = inverted(sheen)
	}
	s.lay(f, c.Inside, sheen, f.color(&s.color))
}
