package render

import (
	"image"
	"math"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The bounds of an edge whose width changes: how wide it is at most, in pixels of the picture, and of how many points it is made.
const (
	maxFeather    = 1000
	maxFeathers   = 256 // feather points
	maxEdgePoints = 1 << 17
	maxEdgeSteps  = 1 << 12 // of one segment
)

// edge is the edge of a mask whose width changes along its path, in pixels of the picture; nil where it does not.
type edge struct {
	points []edgePoint // no more than a pixel apart, where there are not too many
	widest float64
}

// edgePoint is a place on the path, and how far the edge reaches outwards and inwards there.
type edgePoint struct {
	geom.Point
	out, in float64
}

func newEdge(m *mask, to geom.Matrix) *edge {
	if m.path == nil {
		return nil
	}
	e := &edge{}
	path, scale, feathers := m.path, to.MeanScale(), feathersOf(m.path)
	for i, a := range path.Vertices {
		b := path.Vertices[(i+1)%len(path.Vertices)]
		c := [4]geom.Point{{X: a.X, Y: a.Y}, {X: a.X + a.OutX, Y: a.Y + a.OutY}, {X: b.X + b.InX, Y: b.Y + b.InY}, {X: b.X, Y: b.Y}}
		for k := range c {
			c[k] = to.Apply(c[k])
		}
		length := c[1].Sub(c[0]).Len() + c[2].Sub(c[1]).Len() + c[3].Sub(c[2]).Len()
		n := int(max(1, min(maxEdgeSteps, math.Ceil(1.5*length))))
		if len(e.points)+n > maxEdgePoints {
			break
		}
		for k := range n {
			t := float64(k) / float64(n)
			radius := radiusAt(feathers, float64(len(path.Vertices)), float64(i)+t) * scale
			p := edgePoint{Point: bezierAt(c, t), out: max(0, min(maxFeather, radius)), in: max(0, min(maxFeather, -radius))}
			e.points, e.widest = append(e.points, p), max(e.widest, p.out, p.in)
		}
	}
	return e
}

func bezierAt(c [4]geom.Point, t float64) geom.Point {
	s := 1 - t
	k := [4]float64{s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t}
	var p geom.Point
	for i := range c {
		p.X, p.Y = p.X+k[i]*c[i].X, p.Y+k[i]*c[i].Y
	}
	return p
}

// feather is a feather point at a place of its path, in segments from the first vertex.
type feather struct {
	at, radius float64
	hold       bool
}

// feathersOf are the feather points of a path that lie on it.
func feathersOf(path *aep.Path) (out []feather) {
	around := float64(len(path.Vertices))
	for _, p := range path.Feather {
		at := float64(p.Segment) + p.At
		if at == around {
			at = 0
		}
		if at >= 0 && at < around && len(out) < maxFeathers {
			out = append(out, feather{at, p.Radius, p.Hold})
		}
	}
	return out
}

// radiusAt is the radius of the edge of a path of so many segments at a place: evenly between the feather points around it.
func radiusAt(feathers []feather, segments, at float64) float64 {
	var before, after feather
	back, ahead := math.Inf(1), math.Inf(1) // how far away these are
	for _, p := range feathers {
		d := at - p.at
		if d < 0 {
			d += segments
		}
		if d < back {
			before, back = p, d
		}
		if d > 0 {
			d = segments - d
		}
		if d < ahead {
			after, ahead = p, d
		}
	}
	if before.hold || len(feathers) == 0 || back+ahead == 0 {
		return before.radius
	}
	return before.radius + (after.radius-before.radius)*back/(back+ahead)
}

// reach is how far the edge reaches from the path if it lies so far outside of it.
func (e *edge) reach(by float64) int {
	if e == nil {
		return 0
	}
	return int(math.Ceil(e.widest+min(maxFeather, math.Abs(by)))) + 1
}

// soften gives the coverage of a mask, whose edge is sharp, its edge: from nothing where it ends outside to everything where it ends inside. by is how far it all
// lies outside of the path.
func (e *edge) soften(cov *image.Alpha, by float64, even bool) {
	w, h := cov.Rect.Dx(), cov.Rect.Dy()
	path, at := image.NewAlpha(cov.Rect), make([]int32, w*h)
	for i, p := range e.points {
		x, y := int(math.Floor(p.X))-cov.Rect.Min.X, int(math.Floor(p.Y))-cov.Rect.Min.Y
		if x >= 0 && y >= 0 && x < w && y < h {
			path.Pix[y*path.Stride+x] = 255
			at[y*w+x] = int32(i)
		}
	}
	raster.NearestCovered(path, func(x, y, nx, ny int) {
		k := &cov.Pix[y*cov.Stride+x]
		i, far := e.nearest(int(at[ny*w+nx]), geom.Point{X: float64(x+cov.Rect.Min.X) + 0.5, Y: float64(y+cov.Rect.Min.Y) + 0.5})
		if *k > 127 {
			far = -far
		}
		*k = uint8(e.points[i].covered(far-by, even)*255 + 0.5)
	})
}

// nearest is the point of the edge that is nearest to p around one that lies in the pixel nearest to it, and how far p lies from the path there.
func (e *edge) nearest(i int, p geom.Point) (int, float64) {
	n := len(e.points)
	far := func(i int) float64 { return squared(p, e.points[i].Point, e.points[(i+1)%n].Point) }
	best := far(i)
	for _, step := range []int{1, n - 1} {
		for k := (i + step) % n; ; k = (k + step) % n {
			d := far(k)
			if d >= best {
				break
			}
			i, best = k, d
		}
	}
	return i, math.Sqrt(best)
}

// squared is the square of the distance of p from the line between a and b.
func squared(p, a, b geom.Point) float64 {
	along, to := b.Sub(a), p.Sub(a)
	length := along.X*along.X + along.Y*along.Y
	if length > 0 {
		t := max(0, min(1, (to.X*along.X+to.Y*along.Y)/length))
		to = geom.Point{X: to.X - t*along.X, Y: to.Y - t*along.Y}
	}
	return to.X*to.X + to.Y*to.Y
}

// covered is how much of a pixel is covered that lies so far outside of the path.
func (p *edgePoint) covered(far float64, even bool) float64 {
	width := p.out + p.in
	if width < 1 {
		return max(0, min(1, 0.5-far))
	}
	share := max(0, min(1, (p.out-far)/width))
	if !even {
		share *= share * (3 - 2*share)
	}
	return share
}
