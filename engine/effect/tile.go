package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// motionTile is Motion Tile: the layer again and again, as tiles of any size.
type motionTile struct {
	center                                                 eval.Vector
	width, height, across, down, mirrored, phase, sideways eval.Number
}

func newMotionTile(p Params) Effect {
	return &motionTile{
		center: p.Point("0001"), width: p.Number("0002", 100), height: p.Number("0003", 100), across: p.Number("0004", 100),
		down: p.Number("0005", 100), mirrored: p.Number("0006", 0), phase: p.Number("0007", 0), sideways: p.Number("0008", 0),
	}
}

// output is what the tiles cover, in pixels of the layer.
func (e *motionTile) output(f *Frame) geom.Rect {
	w, h := max(0, f.Number(&e.across))/200*f.Size.X, max(0, f.Number(&e.down))/200*f.Size.Y
	return geom.Rect{MinX: f.Size.X/2 - w, MinY: f.Size.Y/2 - h, MaxX: f.Size.X/2 + w, MaxY: f.Size.Y/2 + h}
}

// Bounds implements Moving.
func (e *motionTile) Bounds(f *Frame, _ geom.Rect) geom.Rect { return e.output(f).Transform(f.Matrix) }

func (e *motionTile) Draw(f *Frame, img *raster.Image) error {
	out, center := e.output(f), f.PointOr(&e.center, 0.5, 0.5)
	t := tiles{
		width: max(1, f.Number(&e.width)/100*f.Size.X), height: max(1, f.Number(&e.height)/100*f.Size.Y),
		mirrored: f.Choice(&e.mirrored) != 0, sideways: f.Choice(&e.sideways) != 0, shift: f.Number(&e.phase) / 360,
	}
	t.x, t.y = center.X-t.width/2, center.Y-t.height/2
	warp(f, img, edgeRepeat, func(p geom.Point) (geom.Point, bool) {
		if p.X < out.MinX || p.X > out.MaxX || p.Y < out.MinY || p.Y > out.MaxY {
			return p, false
		}
		u, v := t.at(p)
		return geom.Point{X: u * f.Size.X, Y: v * f.Size.Y}, true
	})
	return nil
}

// tiles cover the plane, one of them with its corner at (x, y).
type tiles struct {
	x, y, width, height float64
	mirrored, sideways  bool
	shift               float64 // of every other column, or row, in tiles
}

// at is the place within its tile, from 0 to 1, of a position.
func (t *tiles) at(p geom.Point) (u, v float64) {
	u, v = (p.X-t.x)/t.width, (p.Y-t.y)/t.height
	switch {
	case t.sideways && odd(v):
		u -= t.shift
	case !t.sideways && odd(u):
		v -= t.shift
	}
	return t.within(u), t.within(v)
}

// within is the place within a tile of a coordinate in tiles.
func (t *tiles) within(u float64) float64 {
	n := math.Floor(u)
	if t.mirrored && odd(u) {
		return 1 - (u - n)
	}
	return u - n
}

// odd tells whether the whole number below u is odd.
func odd(u float64) bool {
	half := math.Floor(u) / 2
	return half != math.Floor(half)
}

// tiler is CC Tiler: the layer smaller, again and again.
type tiler struct {
	wholeLayer
	scale, keep eval.Number
	center      eval.Vector
}

func newTiler(p Params) Effect {
	return &tiler{scale: p.Number("0001", 1), center: p.Point("0002"), keep: p.Number("0003", 0)}
}

func (e *tiler) Draw(f *Frame, img *raster.Image) error {
	before, release := copied(f, img)
	defer release()
	scale, center := max(0.001, f.Share(&e.scale)), f.PointOr(&e.center, 0.5, 0.5)
	warp(f, img, edgeTile, func(p geom.Point) (geom.Point, bool) { return center.Add(p.Sub(center).Scale(1 / scale)), true })
	mix(img, before, f.Share(&e.keep))
	return nil
}

// repeTile is CC RepeTile: the layer again around it.
type repeTile struct{ right, left, below, above, tiling eval.Number }

// repeTiling is how CC RepeTile fills what it adds, by its popup "Tiling", as far as it is drawn.
var repeTiling = map[int]edge{1: edgeTile, 4: edgeMirror}

func newRepeTile(p Params) Effect {
	e := &repeTile{p.Number("0001", 0), p.Number("0002", 0), p.Number("0003", 0), p.Number("0004", 0), p.Number("0005", 1)}
	if _, drawn := repeTiling[int(finite(e.tiling.First()))]; !drawn || e.tiling.Varies() {
		p.Lack("the tiling")
	}
	p.Unless("0006", 0, "the blending of borders")
	return e
}

func (e *repeTile) output(f *Frame) geom.Rect {
	return geom.Rect{
		MinX: -max(0, f.Number(&e.left)), MinY: -max(0, f.Number(&e.above)),
		MaxX: f.Size.X + max(0, f.Number(&e.right)), MaxY: f.Size.Y + max(0, f.Number(&e.below)),
	}
}

// Bounds implements Moving.
func (e *repeTile) Bounds(f *Frame, _ geom.Rect) geom.Rect { return e.output(f).Transform(f.Matrix) }

func (e *repeTile) Draw(f *Frame, img *raster.Image) error {
	out := e.output(f)
	how, known := repeTiling[f.Choice(&e.tiling)]
	if !known {
		how = edgeTile
	}
	warp(f, img, how, func(p geom.Point) (geom.Point, bool) {
		return p, p.X >= out.MinX && p.X <= out.MaxX && p.Y >= out.MinY && p.Y <= out.MaxY
	})
	return nil
}
