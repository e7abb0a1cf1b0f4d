package render

import (
	"cmp"
	"slices"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
	"overcrank/engine/text/animate"
)

// characters is how the characters of a text in space are seen, each in a plane of its own.
type characters struct {
	camera eval.View
	place  geom.Space  // of the layer
	m      geom.Matrix // from pixels of the camera's composition to those of the target
	face   bool        // whether each faces the camera
}

// characters are those of a layer; nil where all it shows lies in its own plane.
func (w *worker) characters(s stage, l *scene.Layer, camera eval.View, place geom.Space) *characters {
	if !l.InCharacters() {
		return nil
	}
	return &characters{camera: camera, place: place, m: s.world().m, face: l.CharactersFace}
}

// inPerspective tells whether a layer is drawn in its own pixels, for h to show.
func (v *view) inPerspective() bool { return v.h != nil && v.characters == nil }

// values passes on what says how characters are seen, beyond how the layer's own plane is.
func (c *characters) values(each func(...float64)) {
	upright := c.see(c.place.Mul(geom.TurnX(90)))
	each(upright[:]...)
	each(c.camera.At.X, c.camera.At.Y, c.camera.At.Z)
}

func (c *characters) see(place geom.Space) geom.Homography {
	return geom.Perspective(c.m).Mul(c.camera.See(place))
}

// marks are glyphs as they are seen, in pixels of the target, the farthest first. Those of which none has left the plane of the layer keep their order.
func (c *characters) marks(of []animate.Mark) []animate.Mark {
	type seen struct {
		animate.Mark
		distance float64
	}
	all, moved := make([]seen, 0, len(of)), c.face
	for i := range of {
		mark := of[i]
		at := c.at(mark.At)
		place := at.Mul(mark.Own)
		box := boundsOf(mark.Shapes)
		middle := geom.Vec{X: (box.MinX + box.MaxX) / 2, Y: (box.MinY + box.MaxY) / 2}
		if !c.mark(&mark, at, place, box) {
			continue
		}
		moved = moved || mark.At.Z != 0 || mark.Own.X.Z != 0 || mark.Own.Y.Z != 0 || mark.Own.Move.Z != 0
		all = append(all, seen{mark, c.camera.Distance(place.Apply(middle))})
	}
	if moved {
		slices.SortStableFunc(all, func(a, b seen) int { return cmp.Compare(b.distance, a.distance) })
	}
	out := make([]animate.Mark, len(all))
	for i := range all {
		out[i] = all[i].Mark
	}
	return out
}

// at is the space around what a glyph turns about. Of a layer whose characters face the camera only the place and the size count.
func (c *characters) at(v geom.Vec) geom.Space {
	s := c.place.Mul(geom.MoveBy(v))
	if !c.face {
		return s
	}
	size := geom.Vec{X: s.X.Len(), Y: s.Y.Len(), Z: s.Z.Len()}
	return geom.MoveBy(s.Move).Mul(geom.Facing(s.Move.Sub(c.camera.At))).Mul(geom.Stretch(size))
}

// mark makes a glyph of how it is seen; false when it is not.
func (c *characters) mark(mark *animate.Mark, at, place geom.Space, box geom.Rect) bool {
	h, around := c.see(place), c.see(at)
	if !h.Finite() {
		return false
	}
	if near, ok := around.At(geom.Point{}); ok {
		x, y := near.AxisScale()
		mark.Blur.X *= x
		mark.Blur.Y *= y
	}
	var even bool
	if mark.Matrix, even = h.Affine(box); even {
		return true
	}
	mark.Matrix = geom.Identity
	shapes := make([]raster.Shape, 0, len(mark.Shapes))
	for i := range mark.Shapes {
		if s := mark.Shapes[i].InPerspective(h); len(s.Outline.Points) > 0 {
			shapes = append(shapes, s)
		}
	}
	mark.Shapes = shapes
	return len(shapes) > 0
}

func boundsOf(shapes []raster.Shape) (box geom.Rect) {
	for i := range shapes {
		box = box.Union(shapes[i].Bounds())
	}
	return box
}
