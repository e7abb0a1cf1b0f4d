package shape

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/random"
)

// wiggling are the parameters of both operators that wiggle. Their random numbers are the same on every machine, but not those of After Effects.
type wiggling struct {
	rate, correlation, temporal, spatial, seed eval.Number
	ref                                        eval.Ref
}

func wigglingOf(p params, rate string) wiggling {
	p.detail("After Effects' own randomness of '" + p.name() + "'")
	w := wiggling{
		rate: p.number(rate, 2), correlation: p.number("ADBE Vector Correlation", 50), temporal: p.number("ADBE Vector Temporal Phase", 0),
		spatial: p.number("ADBE Vector Spatial Phase", 0), seed: p.number("ADBE Vector Random Seed", 0), ref: p.ref,
	}
	if w.rate.Varies() || w.rate.First() != 0 {
		*p.timed = true
	}
	return w
}

// chance is the wiggling at a moment.
type chance struct{ at, share, along, seed float64 }

func (w *wiggling) chance(m *moment) chance {
	t := m.t
	if w.ref.Layer != nil {
		t = eval.LocalTime(w.ref.Layer, t)
	}
	return chance{
		at: t*m.number(&w.rate) + m.number(&w.temporal)/360, share: max(0, min(1, m.number(&w.correlation)/100)),
		along: m.number(&w.spatial) / 360, seed: m.number(&w.seed),
	}
}

// of is a smooth random function of time, -1 to 1: the n-th of the numbers of a place, which are the more alike the more they correlate.
func (c chance) of(n int, place float64) float64 {
	own := c.noise(n, place+c.along)
	return c.share*c.noise(n+1<<10, 0) + (1-c.share)*own
}

// noise runs through random numbers at whole times and places, by a smoothstep from one to the next.
func (c chance) noise(n int, place float64) float64 {
	t, x := cell(c.at), cell(place)
	at := func(i, j int) float64 { return 2*random.At(cell(c.seed).n*31+n, t.n+i, x.n+j, 0) - 1 }
	return mix(mix(at(0, 0), at(1, 0), t.rest), mix(at(0, 1), at(1, 1), t.rest), x.rest)
}

type lattice struct {
	n    int
	rest float64 // eased
}

func cell(v float64) lattice {
	const far = 1 << 30
	if !(math.Abs(v) < far) {
		return lattice{}
	}
	n := math.Floor(v)
	u := v - n
	return lattice{int(n), u * u * (3 - 2*u)}
}

func mix(a, b, share float64) float64 { return a + (b-a)*share }

// wiggleSmooth is the value of the popup "Points" for curves instead of corners.
const wiggleSmooth = 2

// wigglePaths is Wiggle Paths: it gives paths more points, and moves all of them at random.
type wigglePaths struct {
	wiggling
	size, detail, points eval.Number
}

func newWigglePaths(p params) operator {
	return &wigglePaths{
		wiggling: wigglingOf(p, "ADBE Vector Temporal Freq"), size: p.number("ADBE Vector Roughen Size", 10),
		detail: p.number("ADBE Vector Roughen Detail", 10), points: p.number("ADBE Vector Roughen Points", 1),
	}
}

func (o *wigglePaths) apply(c *contents, m *moment) {
	size, smooth, by := m.number(&o.size), m.number(&o.points) == wiggleSmooth, o.chance(m)
	n := 0
	if detail := m.number(&o.detail); detail > 0 {
		n = int(math.Round(min(maxRidges, detail)))
	}
	n = min(n, maxTeeth/(1+steps(c.paths)))
	c.bend(func(contour geom.Contour) geom.Contour {
		fine := divided(contour, n+1)
		for i, k := range fine.Knots {
			at := k.At.Add(geom.Point{X: size * by.of(0, float64(i)), Y: size * by.of(1, float64(i))})
			fine.Knots[i] = geom.Knot{In: at, At: at, Out: at}
		}
		if smooth {
			smoothen(fine)
		}
		return fine
	})
}

// smoothen gives the knots of a contour tangents along the line between their neighbours, a third as long as the way to each.
func smoothen(c geom.Contour) {
	n := len(c.Knots)
	for i, k := range c.Knots {
		before, after := c.Knots[(i+n-1)%n].At, c.Knots[(i+1)%n].At
		if !c.Closed && (i == 0 || i == n-1) {
			continue
		}
		way := after.Sub(before)
		if length := way.Len(); length > 0 {
			way = way.Scale(1 / (3 * length))
		}
		c.Knots[i].In = k.At.Sub(way.Scale(k.At.Sub(before).Len()))
		c.Knots[i].Out = k.At.Add(way.Scale(after.Sub(k.At).Len()))
	}
}

// wiggleTransform is Wiggle Transform: it moves, scales and turns each path at random, by at most what its transform says.
type wiggleTransform struct {
	wiggling
	anchor, position, scale eval.Vector
	turn                    eval.Number
}

func newWiggleTransform(p params) operator {
	t := p.child("ADBE Vector Wiggler Transform")
	return &wiggleTransform{
		wiggling: wigglingOf(p, "ADBE Vector Xform Temporal Freq"),
		anchor:   t.point("ADBE Vector Wiggler Anchor"), position: t.point("ADBE Vector Wiggler Position"),
		scale: t.point("ADBE Vector Wiggler Scale"), turn: t.number("ADBE Vector Wiggler Rotation", 0),
	}
}

func (o *wiggleTransform) apply(c *contents, m *moment) {
	by := o.chance(m)
	anchor, position, scale, turn := m.point(&o.anchor), m.point(&o.position), m.point(&o.scale), m.number(&o.turn)
	n := 0
	c.reshape(func(path geom.Outline) geom.Outline {
		place := float64(n)
		n++
		at := geom.Point{X: anchor.X * by.of(0, place), Y: anchor.Y * by.of(1, place)}
		k := 1 + scale.X/100*by.of(4, place)
		ky := 1 + scale.Y/100*by.of(4, place)
		to := geom.Translate(position.X*by.of(2, place), position.Y*by.of(3, place)).Mul(geom.Rotate(turn * by.of(5, place))).
			Mul(geom.Scale(k, ky)).Mul(geom.Translate(-at.X, -at.Y))
		return path.Transform(to)
	})
}
