package render

import (
	"hash/maphash"
	"image"
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// shadow is what one 3D layer takes of one light from another.
type shadow struct {
	cast *cast
	// to maps places of the layer, (x, y, 1), to (u, v, q): the light passes the caster's plane at (u/q, v/q), before the layer when q is greater
	// than 1. Of a parallel light, to (u, v, s): at (u, v), before the layer when s is positive.
	to       geom.Homography
	parallel bool
	darkness float64
	soft     float64    // radius of the light, in pixels of the composition
	unit     geom.Point // pixels of the composition in one of the caster, across and down
}

// cast is a layer that casts shadows, in its own pixels.
type cast struct {
	sums         *raster.Sums
	scale        float64 // pixels of the picture in one of the layer
	transmission float64
	pixels       int
}

// maxCastPixels is how large the picture of a layer that casts shadows may be; a larger one is drawn smaller. maxCastsPixels limits those that are
// kept while a frame is drawn.
const (
	maxCastPixels  = 1 << 21
	maxCastsPixels = 1 << 24
)

// casts are the pictures of layers that cast shadows, while one frame is drawn.
type casts struct {
	known  map[castKey]*cast
	pixels int
}

type castKey struct {
	instance uint64
	t        float64
}

// castsShadows tells whether a layer casts shadows at a time, and whether nothing else of it is seen.
func (w *worker) castsShadows(l *scene.Layer, t float64) (casts, only bool) {
	if l.Material == nil || l.Adjustment {
		return false, false
	}
	how := l.Material.Casts.At(w.eval, t)
	return how != 0, how == scene.Only
}

// casters are the views of the layers whose shadows may fall on v's layer.
func (w *worker) casters(v view) (out []view) {
	w.expand(*v.world(), func(s stage, l *scene.Layer) {
		if casts, _ := w.castsShadows(l, s.t); !casts || l == v.layer && s.path == v.path {
			return
		}
		if one := w.view(s, l); w.opacity(one) > 0 {
			out = append(out, one)
		}
	})
	w.at = v.layer
	return out
}

// shadowed tells whether shadows may fall on a layer.
func (w *worker) shadowed(v view) bool {
	m := v.layer.Material
	if m == nil || v.own || len(v.world().comp.Lamps) == 0 || m.AcceptsShadows.At(w.eval, v.t) == 0 {
		return false
	}
	dark := false
	for _, l := range w.lamps(v.stage) {
		dark = dark || l.darkness > 0
	}
	return dark && len(w.casters(v)) > 0
}

// shaded tells whether a layer's picture depends on lights, by their light or their shadows.
func (w *worker) shaded(v view) bool { return w.lit(v) || w.shadowed(v) }

// shadows are those of one light on a layer whose pixels space maps to the composition.
func (w *worker) shadows(l *lamp, casters []view, space geom.Space) (out []shadow, err error) {
	if !(l.darkness > 0) {
		return nil, nil
	}
	for _, v := range casters {
		c, err := w.cast(v)
		if err != nil {
			return nil, err
		}
		camera := w.camera(&v.stage)
		place := w.spaceOf(v.stage, v.layer, camera.At)
		s := shadow{cast: c, parallel: l.kind == scene.ParallelLight, darkness: l.darkness, soft: l.soft, unit: geom.Point{X: place.X.Len(), Y: place.Y.Len()}}
		if c == nil || !s.aim(l, place, space) {
			continue
		}
		out = append(out, s)
	}
	return out, nil
}

// columns is the linear map that makes three vectors of the axes.
func columns(x, y, z geom.Vec) geom.Homography {
	return geom.Homography{x.X, y.X, z.X, x.Y, y.Y, z.Y, x.Z, y.Z, z.Z}
}

// aim finds the way of the light through the caster at place to the layer at space; false when the light falls along the caster.
func (s *shadow) aim(l *lamp, place, space geom.Space) bool {
	if s.parallel {
		back, ok := invert(columns(place.X, place.Y, l.way))
		s.to = back.Mul(columns(space.X, space.Y, space.Move.Sub(place.Move)))
		return ok
	}
	back, ok := invert(columns(place.X, place.Y, place.Move.Sub(l.at)))
	s.to = back.Mul(columns(space.X, space.Y, space.Move.Sub(l.at)))
	return ok
}

// invert is the inverse of a linear map of any size: Homography.Invert takes small determinants for none.
func invert(h geom.Homography) (geom.Homography, bool) {
	most := 0.0
	for _, v := range h {
		most = max(most, math.Abs(v))
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return h, false
	}
	for i := range h {
		h[i] /= most
	}
	out, ok := h.Invert()
	for i := range out {
		out[i] /= most
	}
	return out, ok
}

// grazing is the share of the way from a light to a layer that must lie between the layer and what casts a shadow on it: layers in one plane cast none
// on each other.
const grazing = 1e-6

// passes is how much of a light reaches a place of the layer, by colour. foot maps one pixel of the picture to the layer.
func (s *shadow) passes(at geom.Point, foot geom.Matrix) [3]float64 {
	u := s.to[0]*at.X + s.to[1]*at.Y + s.to[2]
	v := s.to[3]*at.X + s.to[4]*at.Y + s.to[5]
	q := s.to[6]*at.X + s.to[7]*at.Y + s.to[8]
	light := [3]float64{1, 1, 1}
	var step geom.Matrix
	soft := 0.0
	if s.parallel {
		if !(q > grazing) {
			return light
		}
		step = geom.Matrix{A: s.to[0], B: s.to[3], C: s.to[1], D: s.to[4]}
	} else {
		if !(q > 1+grazing) {
			return light
		}
		u, v = u/q, v/q
		step = geom.Matrix{A: (s.to[0] - s.to[6]*u) / q, B: (s.to[3] - s.to[6]*v) / q, C: (s.to[1] - s.to[7]*u) / q, D: (s.to[4] - s.to[7]*v) / q}
		soft = s.soft * (1 - 1/q) // of the light's disc, as it is seen on the caster
	}
	step = step.Mul(foot)
	k := s.cast.scale
	across := k * max((math.Abs(step.A)+math.Abs(step.C))/2, soft/s.unit.X, 0.5/k)
	down := k * max((math.Abs(step.B)+math.Abs(step.D))/2, soft/s.unit.Y, 0.5/k)
	c := s.cast.sums.Mean(geom.Rect{MinX: k*u - across, MinY: k*v - down, MaxX: k*u + across, MaxY: k*v + down})
	for i := range light {
		light[i] = 1 - s.darkness*(c[3]-s.cast.transmission*c[i])
	}
	return light
}

// cast is the picture of a layer that casts shadows; nil when it shows nothing.
func (w *worker) cast(v view) (*cast, error) {
	key := castKey{v.instance(), v.t}
	if c, ok := w.casts.known[key]; ok {
		return c, nil
	}
	c, err := w.castOf(v)
	if err != nil {
		return nil, err
	}
	pixels := 0
	if c != nil {
		pixels = c.pixels
	}
	if w.casts.pixels+pixels <= maxCastsPixels {
		if w.casts.known == nil {
			w.casts.known = make(map[castKey]*cast)
		}
		w.casts.known[key] = c
		w.casts.pixels += pixels
	}
	return c, nil
}

func (w *worker) castOf(v view) (*cast, error) {
	outer := w.at
	defer func() { w.at = outer }()
	masks := w.masks(v)
	local := v
	local.h, local.m, local.own = nil, geom.Identity, true
	local.path = maphash.Comparable(seed, [2]uint64{v.path, 1}) // its picture is kept beside that of the layer itself
	if v.layer.Vector() {
		local.stage.m = geom.Identity
	}
	d, err := w.prepare(local)
	if d == nil || err != nil {
		return nil, err
	}
	camera := w.camera(&v.stage)
	place := w.spaceOf(v.stage, v.layer, camera.At)
	scale := w.projectedScale(v, d.box, max(place.X.Len(), place.Y.Len())*v.stage.m.MeanScale())
	area := func() image.Rectangle {
		return raster.PixelRect(w.extent(v.layer.Effects, w.moment(local, local.m), d.box).painted)
	}
	for {
		local.m = geom.Scale(scale, scale)
		if v.layer.Vector() {
			local.stage.m = local.m
		}
		if d, err = w.prepare(local); d == nil || err != nil {
			return nil, err
		}
		if r := area(); r.Dx() < maxCastPixels && r.Dy() < maxCastPixels && r.Dx()*r.Dy() <= maxCastPixels {
			break
		}
		if scale /= 2; scale < 1.0/1024 {
			w.undrawn(v.comp.Item, v.layer.Layer, "the shadow of a layer as large as this")
			return nil, nil
		}
	}
	img, release, err := w.cachedOrBuilt(area(), local, d, masks, v.layer.Effects)
	if img == nil || err != nil {
		return nil, err
	}
	defer release()
	through := max(0, min(1, v.layer.Material.Transmission.At(w.eval, v.t)/100))
	own := w.r.surfaces.get(img.Rect)
	defer w.r.surfaces.put(own)
	raster.Composite(own, img, w.opacity(v), raster.Normal)
	c := &cast{sums: raster.SumsOf(own, through > 0), scale: scale, transmission: through, pixels: img.Rect.Dx() * img.Rect.Dy()}
	if through > 0 {
		c.pixels *= 4
	}
	return c, nil
}
