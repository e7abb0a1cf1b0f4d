package render

import (
	"cmp"
	"image"
	"math"
	"slices"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// inSpace is the view of a 3D layer, as the composition's camera sees it. Where no perspective is visible it is a view as that of any other
// layer.
func (w *worker) inSpace(s stage, l *scene.Layer) view {
	camera := w.camera(&s)
	space := w.spaceOf(s, l, camera.At)
	size := l.Size()
	box := geom.Rect{MaxX: size.X, MaxY: size.Y}
	middle := geom.Point{X: size.X / 2, Y: size.Y / 2}
	if l.Centred() {
		box, middle = geom.Rect{MinX: -size.X, MinY: -size.Y, MaxX: size.X, MaxY: size.Y}, geom.Point{}
	}
	h := w.sees(&s, &camera, space)
	v := view{stage: s, layer: l, depth: camera.Distance(space.Apply(geom.Vec{X: middle.X, Y: middle.Y}))}
	if !l.ThreeD { // all of one plane, whose order is that of its layers
		v.depth = camera.Distance(s.joins.Apply(geom.Vec{X: float64(s.comp.Width) / 2, Y: float64(s.comp.Height) / 2}))
	}
	v.characters = w.characters(s, l, camera, space)
	if m, ok := h.Affine(box); ok {
		v.m = m
		return v
	}
	v.h = &h
	if v.m, _ = h.At(middle); v.m == (geom.Matrix{}) {
		v.m = s.m // its middle lies behind the viewer; what asks for m wants no more than a size
	}
	return v
}

// spaceOf maps pixels of a 3D layer to the space of its composition, or of the world that its composition joins, which is seen from a viewer.
func (w *worker) spaceOf(s stage, l *scene.Layer, viewer geom.Vec) geom.Space {
	outer := geom.Here
	if s.joins != nil {
		outer = *s.joins
	}
	if l.FacesCamera && l.ThreeD {
		if back, ok := outer.Invert(); ok {
			viewer = back.Apply(viewer)
		}
		return outer.Mul(l.Transform.Facing(w.eval, s.t, viewer))
	}
	return outer.Mul(l.Transform.Space(w.eval, s.t))
}

// byDepth puts 3D layers that follow each other in the order of their depth, the farthest first. A layer without depth stays where it is, and
// those on both sides of it are ordered apart, as After Effects does. Those of which no order is right everywhere are put together.
func (w *worker) byDepth(shown []shownLayer) []shownLayer {
	deep := func(l *shownLayer) bool { return l.spatial() && !l.layer.Adjustment }
	for i := 0; i < len(shown); {
		end := i
		for end < len(shown) && deep(&shown[end]) {
			end++
		}
		if end-i > 1 {
			slices.SortStableFunc(shown[i:end], func(a, b shownLayer) int { return cmp.Compare(b.depth, a.depth) })
			together := w.crossings(shown[i:end:end])
			if fewer := end - i - len(together); fewer > 0 {
				shown = slices.Concat(shown[:i], together, shown[end:])
				end -= fewer
			}
		}
		i = end + 1
	}
	return shown
}

// unprojected is a layer in its own pixels, which fit shows in perspective as v.h does.
func (w *worker) unprojected(v view) (local view, d *drawing, fit geom.Homography, err error) {
	h := *v.h
	local = v
	local.h, local.m, local.own = nil, geom.Identity, true
	d, err = w.prepare(local)
	if d == nil || err != nil {
		return local, nil, fit, err
	}
	scale := w.projectedScale(v, d.box, h.Magnifies(d.box))
	local.m = geom.Scale(scale, scale)
	if v.layer.Vector() {
		local.stage.m = local.m
	}
	if scale != 1 {
		d, err = w.prepare(local)
	}
	return local, d, h.Mul(geom.Perspective(geom.Scale(1/scale, 1/scale))), err
}

// projected draws a layer in its own pixels, for v.h to show in perspective within clip.
func (w *worker) projected(clip image.Rectangle, v view, masks []mask) (picture, error) {
	local, d, fit, err := w.unprojected(v)
	if d == nil || err != nil {
		return picture{}, err
	}
	area, ok := w.projectedArea(local, d, fit, clip)
	if !ok {
		return picture{}, nil
	}
	s, release, err := w.cachedOrBuilt(area, local, d, masks, v.layer.Effects)
	return picture{img: s, m: geom.Identity, h: &fit, release: release}, err
}

// projectedScale is the scale at which a layer is drawn in its own pixels that is seen magnified: pixels not larger than they are, outlines
// so large that their edges are sharp where they are nearest, as far as that is affordable.
func (w *worker) projectedScale(v view, box geom.Rect, magnified float64) float64 {
	if !(magnified > 0) {
		return 1
	}
	scale := math.Exp2(math.Ceil(math.Log2(magnified)))
	most := 1.0
	if v.layer.Vector() {
		most = 8
	}
	scale = max(1.0/1024, min(scale, most))
	for scale > 1.0/1024 && !w.affordable(raster.PixelRect(box.Transform(geom.Scale(scale, scale)))) {
		scale /= 2
	}
	return scale
}

// projectedArea is the part of a layer, in its own pixels, that is drawn to be shown by fit within clip; false when nothing of it is seen.
func (w *worker) projectedArea(v view, d *drawing, fit geom.Homography, clip image.Rectangle) (image.Rectangle, bool) {
	all := raster.PixelRect(w.extent(v.layer.Effects, w.moment(v, v.m), d.box).painted)
	seen, ok := fit.Box(boxOf(all))
	if !ok || raster.PixelRect(seen).Intersect(clip).Empty() {
		return image.Rectangle{}, false
	}
	if w.affordable(all) {
		return all, true
	}
	if back, ok := fit.Invert(); ok {
		if part, ok := back.Box(boxOf(clip)); ok {
			all = all.Intersect(raster.PixelRect(part.Grow(2)))
		}
	}
	if all.Dx() > maxPixels || all.Dy() > maxPixels || all.Dx()*all.Dy() > maxPixels {
		w.undrawn(v.comp.Item, v.layer.Layer, "a 3D layer as large as this")
		return image.Rectangle{}, false
	}
	return all, !all.Empty()
}
