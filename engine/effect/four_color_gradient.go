package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/random"
	"overcrank/engine/raster"
)

// fourColors is 4-Color Gradient: each pixel has more of the colours whose points are near.
type fourColors struct {
	points, colors          [4]eval.Vector
	smooth, jitter, opacity eval.Number
	blend                   blending
}

func newFourColors(p Params) Effect {
	p.Lack("the exact blend of colours")
	return &fourColors{
		points: [4]eval.Vector{p.Point("0001"), p.Point("0003"), p.Point("0005"), p.Point("0007")},
		colors: [4]eval.Vector{
			p.Color("0002", [4]float64{1, 1, 0, 1}), p.Color("0004", [4]float64{0, 1, 0, 1}),
			p.Color("0006", [4]float64{1, 0, 1, 1}), p.Color("0008", [4]float64{0, 0, 1, 1}),
		},
		smooth: p.Number("0009", 100), jitter: p.Number("0010", 0), opacity: p.Number("0013", 100), blend: blendingOf(p, "0014", blendNone, 3),
	}
}

// fourDefaults are the points where the file lacks them, as fractions of the layer.
var fourDefaults = [4]geom.Point{{X: 0.1, Y: 0.1}, {X: 0.9, Y: 0.1}, {X: 0.1, Y: 0.9}, {X: 0.9, Y: 0.9}}

// Draw weighs the colours by a power of their distances: Shepard, A two-dimensional interpolation function for irregularly-spaced data, 1968.
func (e *fourColors) Draw(f *Frame, img *raster.Image) error {
	var points [4]geom.Point
	var colors [4][4]float64
	for i := range points {
		points[i], colors[i] = f.PointOr(&e.points[i], fourDefaults[i].X, fourDefaults[i].Y), f.Color(&e.colors[i])
	}
	// Of squared distances: a blend of 100 weighs by the distance itself, squared.
	power := -100 / max(10, min(1000, f.Number(&e.smooth)))
	jitter := completion(f, &e.jitter) / 8
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	paintEach(f, painted, func(x, y float64, px []uint8) {
		var sum float64
		var c [3]float64
		for i, p := range points {
			square := max(1e-6, (x-p.X)*(x-p.X)+(y-p.Y)*(y-p.Y))
			w := 1 / square
			if power != -1 {
				w = math.Pow(square, power)
			}
			sum += w
			for j := range c {
				c[j] += colors[i][j] * w
			}
		}
		shift := 0.0
		if jitter > 0 {
			shift = (random.At(0, lattice(x), lattice(y), 0) - 0.5) * jitter
		}
		for j := range c {
			px[j] = channel((c[j]/sum+shift)*255, 255)
		}
		px[3] = 255
	})
	e.blend.layInside(f, img, painted, completion(f, &e.opacity))
	return nil
}
