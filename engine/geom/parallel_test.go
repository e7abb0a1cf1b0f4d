package geom_test

import (
	"math"
	"testing"

	"overcrank/engine/geom"
)

func polygon(pts ...geom.Point) geom.Outline {
	var o geom.Outline
	o.Move(pts[0].X, pts[0].Y)
	for _, p := range pts[1:] {
		o.Line(p.X, p.Y)
	}
	o.Close()
	return o
}

func TestParallelsEncloseTheAreaThatGeometryTells(t *testing.T) {
	square, circle := geom.RectOutline(0, 0, 100, 100, 0), geom.EllipseOutline(0, 0, 100, 100)
	var line, bent, curve geom.Outline
	line.Move(0, 0)
	line.Line(30, 0)
	bent.Move(0, 0)
	bent.Line(50, 0)
	bent.Line(50, 50)
	curve.Append(geom.Outline{Verbs: circle.Verbs[:2], Points: circle.Points[:4]}) // a quarter of the circle
	notched := polygon(geom.Point{}, geom.Point{X: 100}, geom.Point{X: 100, Y: 50}, geom.Point{X: 50, Y: 50}, geom.Point{X: 50, Y: 100}, geom.Point{Y: 100})
	for _, c := range []struct {
		name string
		of   geom.Outline
		by   geom.Parallel
		want float64
	}{
		{"a square, wider", square, geom.Parallel{Distance: 10, MiterLimit: 4}, 120 * 120},
		{"a square, round", square, geom.Parallel{Distance: 10, Join: geom.RoundJoin}, 1e4 + 4*1000 + math.Pi*100},
		{"a square, bevelled", square, geom.Parallel{Distance: 10, Join: geom.BevelJoin}, 120*120 - 4*50},
		{"a square whose corners are too long", square, geom.Parallel{Distance: 10, MiterLimit: 1.4}, 120*120 - 4*50},
		{"a square, narrower", square, geom.Parallel{Distance: -10, MiterLimit: 4}, 80 * 80},
		{"a square, narrower than it is", square, geom.Parallel{Distance: -60, MiterLimit: 4}, 0},
		{"a strip, narrower than it is", geom.RectOutline(0, 0, 100, 20, 0), geom.Parallel{Distance: -15, MiterLimit: 4}, 0},
		{"a square the other way round", square.Reverse(), geom.Parallel{Distance: 10, MiterLimit: 4}, -80 * 80},
		{"a notch", notched, geom.Parallel{Distance: 10, MiterLimit: 4}, 120*120 - 50*50},
		{"a notch, narrower", notched, geom.Parallel{Distance: -10, MiterLimit: 4}, 80*80 - 50*50},
		{"a circle", circle, geom.Parallel{Distance: 10, MiterLimit: 4}, math.Pi * 60 * 60},
		{"a circle, narrower", circle, geom.Parallel{Distance: -20, MiterLimit: 4}, math.Pi * 30 * 30},
		{"a circle, narrower than it is", circle, geom.Parallel{Distance: -60, MiterLimit: 4}, 0},
		{"a line", line, geom.Parallel{Distance: 5, MiterLimit: 4}, 30 * 10},
		{"a line, by less than nothing", line, geom.Parallel{Distance: -5, MiterLimit: 4}, 30 * 10},
		{"a line, round", line, geom.Parallel{Distance: 5, Join: geom.RoundJoin}, 30*10 + math.Pi*25},
		{"two lines", bent, geom.Parallel{Distance: 5, MiterLimit: 4}, 2*50*10 + 25 - 25},
		{"an arc", curve, geom.Parallel{Distance: 10, MiterLimit: 4}, math.Pi / 4 * (60*60 - 40*40)},
	} {
		t.Run(c.name, func(t *testing.T) {
			contours := c.of.Contours()
			if len(contours) != 1 {
				t.Fatalf("%d contours", len(contours))
			}
			if got := c.by.Of(contours[0]).Area(); math.Abs(got-c.want) > 3e-3*math.Abs(c.want)+1e-6 {
				t.Errorf("the area is %g, want %g", got, c.want)
			}
		})
	}
}
