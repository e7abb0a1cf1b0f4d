package shape

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// pucker is Pucker & Bloat: it moves the points of a path towards their mean, and its curves away from it, or the other way round, as
// exports to Lottie are played.
type pucker struct{ amount eval.Number }

func newPucker(p params) operator { return &pucker{p.number("ADBE Vector PuckerBloat Amount", 10)} }

func (o *pucker) apply(c *contents, m *moment) {
	share := m.number(&o.amount) / 100
	if share == 0 {
		return
	}
	c.bend(func(contour geom.Contour) geom.Contour {
		var mean geom.Point
		for _, k := range contour.Knots {
			mean = mean.Add(k.At.Scale(1 / float64(len(contour.Knots))))
		}
		for i, k := range contour.Knots {
			contour.Knots[i] = geom.Knot{In: k.In.Lerp(mean, -share), At: k.At.Lerp(mean, share), Out: k.Out.Lerp(mean, -share)}
		}
		return contour
	})
}
