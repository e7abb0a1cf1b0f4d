package render

import (
	"image"
	"math"
	"slices"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// maxCrossing is how many 3D layers are drawn among each other at most, maxCrossingPixels how many pixels all of them may have.
const (
	maxCrossing       = 48
	maxCrossingPixels = 128 << 20
)

// sight is what is seen of a 3D layer: its plane, and the part of it that may have pixels, in pixels of the target.
type sight struct {
	near    geom.Nearness
	outline []geom.Point // empty when nothing is seen
	box     geom.Rect
	rank    int // its place among the layers of its composition, from the bottom
}

// crossings puts 3D layers, which are in the order of their depth, together where that order is not right everywhere: where they pass through each
// other, or where the one whose middle is farther hides the other. Of those, each pixel has an order of its own.
func (w *worker) crossings(run []shownLayer) []shownLayer {
	var out []shownLayer
	for len(run) > 0 {
		end := slices.IndexFunc(run, func(l shownLayer) bool { return l.layer.Stencil() })
		if end < 0 {
			end = len(run)
		}
		out = append(out, w.together(run[:end])...)
		if end < len(run) {
			out = append(out, run[end])
			end++
		}
		run = run[end:]
	}
	return out
}

// together is crossings of layers none of which is a stencil.
func (w *worker) together(run []shownLayer) []shownLayer {
	sights := w.sights(run)
	if sights == nil {
		return run
	}
	var out []shownLayer
	for first := 0; first < len(run); {
		end := first + 1
		for i := first; i < end; i++ {
			for j := len(run) - 1; j >= end; j-- {
				if sights[i].hides(&sights[j]) {
					end = j + 1
					break
				}
			}
		}
		if end == first+1 {
			out = append(out, run[first])
		} else {
			one := shownLayer{view: run[first].view, among: run[first:end:end], sights: sights[first:end:end]}
			out = append(out, one)
		}
		first = end
	}
	return out
}

// sights are those of layers; nil when all of them are parallel to the plane on which they are seen, so that the order of their depth is right.
func (w *worker) sights(run []shownLayer) []sight {
	out := make([]sight, len(run))
	tilted := false
	for i := range run {
		v := run[i].view
		camera := w.camera(&v.stage)
		seen := w.sees(&v.stage, &camera, w.spaceOf(v.stage, v.layer, camera.At))
		out[i].rank = run[i].rank
		out[i].near, _ = seen.Nearness()
		tilted = tilted || v.h != nil
	}
	if !tilted {
		return nil
	}
	for i := range run {
		v := run[i].view
		if w.opacity(v) <= 0 {
			continue
		}
		place := v.place()
		if out[i].outline = place.Seen(w.reaches(v).Grow(1)); len(out[i].outline) >= 3 {
			out[i].box, _ = place.Box(w.reaches(v).Grow(1))
		}
	}
	return out
}

// reaches is the part of a 3D layer that may have pixels, in its own.
func (w *worker) reaches(v view) geom.Rect {
	size := v.layer.Size()
	box := geom.Rect{MaxX: size.X, MaxY: size.Y}
	local := v
	local.h, local.m, local.own = nil, geom.Identity, true
	if v.layer.Vector() {
		local.stage.m = geom.Identity
		d, err := w.prepare(local)
		if d == nil || err != nil { // drawing it tells why
			return geom.Rect{}
		}
		box = d.box
	}
	return w.extent(v.layer.Effects, w.moment(local, local.m), box).painted
}

// coplanar is the share of a distance below which two planes are one: rounding, and far less than what is seen.
const coplanar = 1e-7

// hides tells whether s, which is drawn before other, hides it anywhere.
func (s *sight) hides(other *sight) bool {
	if len(s.outline) < 3 || len(other.outline) < 3 ||
		s.box.MinX >= other.box.MaxX || other.box.MinX >= s.box.MaxX || s.box.MinY >= other.box.MaxY || other.box.MinY >= s.box.MaxY {
		return false
	}
	shared := geom.Overlap(s.outline, other.outline)
	one := len(shared) > 0
	for _, p := range shared {
		a, b := s.near.At(p), other.near.At(p)
		if a-b > coplanar*max(a, b) {
			return true
		}
		one = one && math.Abs(a-b) <= coplanar*max(a, b)
	}
	return one && s.rank > other.rank
}

// crossed draws layers that are put together over dst.
func (w *worker) crossed(dst *raster.Image, l *shownLayer) error {
	pixels := 0
	for i := range l.sights {
		r := raster.PixelRect(l.sights[i].box).Intersect(dst.Rect)
		pixels += r.Dx() * r.Dy()
	}
	if !w.affordsCrossing(l, pixels) {
		return w.inOrder(l, func(one *shownLayer) error { return w.layer(dst, one) })
	}
	var sheets []sheet[uint8]
	defer func() {
		for i := range sheets {
			sheets[i].release()
		}
	}()
	for i := range l.among {
		one := &l.among[i]
		v := one.view
		img, err := w.crossingSheet(dst.Rect, one)
		if err != nil {
			return err
		}
		if img == nil {
			continue
		}
		sheets = append(sheets, sheet[uint8]{
			sight: l.sights[i], rect: img.Rect, blend: v.layer.BlendAt(v.t), opacity: w.opacity(v), preserves: v.layer.PreserveTransparency,
			row:     func(x0, x1, y int) []uint8 { return img.Pix[img.PixOffset(x0, y):][:4*(x1-x0)] },
			release: func() { w.r.surfaces.put(img) },
		})
	}
	row := func(x0, x1, y int) []uint8 { return dst.Pix[dst.PixOffset(x0, y):][:4*(x1-x0)] }
	interleave(row, dst.Rect, sheets, scale{full: 255, half: 0.5})
	return nil
}

// crossingSheet is a layer with all but its blend mode, in pixels of the target; nil when it shows nothing.
func (w *worker) crossingSheet(clip image.Rectangle, l *shownLayer) (*raster.Image, error) {
	v := l.view
	w.at = v.layer
	opacity := w.opacity(v)
	if opacity <= 0 {
		return nil, nil
	}
	if err := w.ready(l); l.d == nil || err != nil {
		return nil, err
	}
	if v.layer.Styles != nil {
		own := w.r.surfaces.get(clip)
		return own, w.styled(own, l, opacity, raster.Normal)
	}
	pic, err := w.seen(clip, v, l.d, l.exposure(w), w.masks(v))
	if pic.img == nil || err != nil {
		return nil, err
	}
	defer pic.release()
	own := w.r.surfaces.get(pic.bounds(clip))
	pic.over(own, opacity, raster.Normal)
	return own, w.matte(own, v)
}

// deepCrossed is crossed in more than bytes.
func (w *worker) deepCrossed(dst *deep.Image, l *shownLayer) error {
	const larger = 4 // than bytes are the numbers of a pixel
	if !w.affordsCrossing(l, larger*len(l.among)*dst.Rect.Dx()*dst.Rect.Dy()) {
		return w.inOrder(l, func(one *shownLayer) error { return w.deepLayer(dst, one) })
	}
	var sheets []sheet[float32]
	defer func() {
		for i := range sheets {
			sheets[i].release()
		}
	}()
	for i := range l.among {
		one := &l.among[i]
		v := one.view
		w.at = v.layer
		own := w.r.deepSurfaces.get(dst.Rect)
		s := sheet[float32]{
			sight: l.sights[i], rect: own.Rect, blend: w.deepBlend(v), opacity: w.opacity(v), preserves: v.layer.PreserveTransparency,
			row: own.Row, release: func() { w.r.deepSurfaces.put(own) },
		}
		sheets = append(sheets, s)
		one.apart = true
		var err error
		if v.layer.Styles != nil {
			err = w.inBytes(own, one)
		} else {
			err = w.deepOver(own, one, deep.Normal)
		}
		if err != nil {
			return err
		}
	}
	interleave(dst.Row, dst.Rect, sheets, scale{full: 1})
	w.r.tones.limit(dst)
	return nil
}

// affordsCrossing tells whether layers are few and small enough to be drawn among each other; if they are not, it warns.
func (w *worker) affordsCrossing(l *shownLayer, pixels int) bool {
	if len(l.among) <= maxCrossing && pixels <= maxCrossingPixels {
		return true
	}
	w.undrawn(l.comp.Item, l.layer.Layer, "the place where so many 3D layers pass through each other")
	return false
}

// inOrder draws layers that are put together one after the other.
func (w *worker) inOrder(l *shownLayer, draw func(*shownLayer) error) error {
	for i := range l.among {
		if err := draw(&l.among[i]); err != nil {
			return err
		}
	}
	return nil
}
