package render

import (
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// The values of the popup "Falloff" of a light.
const (
	falloffSmooth  = 2
	falloffInverse = 3
)

// lamp is a light at a time.
type lamp struct {
	kind          int
	at, way       geom.Vec // way has length 1
	color         [3]float64
	inner, outer  float64 // cosines within which a cone is full, and beyond which it is dark
	falloff       int
	radius, reach float64
	darkness      float64 // of its shadows, 0 when it casts none
	soft          float64 // its radius, as far as it makes shadows soft, in pixels
}

// lamps are the lights of a stage at its time, or of the world that it joins.
func (w *worker) lamps(of stage) []lamp {
	var out []lamp
	s := of.world()
	for i := range s.comp.Lamps {
		l := &s.comp.Lamps[i]
		if !active(l.Layer.Layer, s.t) {
			continue
		}
		place := l.Transform.Camera(w.eval, s.t, l.FacesCamera)
		one := lamp{
			kind: l.LightKind, at: place.Move, way: unitOf(place.Z), falloff: int(l.Falloff.At(w.eval, s.t)),
			radius: l.Radius.At(w.eval, s.t), reach: l.Distance.At(w.eval, s.t),
		}
		color, k := l.Color.At(w.eval, s.t), l.Intensity.At(w.eval, s.t)/100
		for c := range one.color {
			one.color[c] = color[c] * k
		}
		if l.LightKind != scene.AmbientLight && l.Shadows.At(w.eval, s.t) != 0 {
			one.darkness = max(0, min(1, l.Darkness.At(w.eval, s.t)/100))
			one.soft = max(0, l.Diffusion.At(w.eval, s.t))
		}
		half := max(0, min(180, l.Cone.At(w.eval, s.t))) / 2 * math.Pi / 180
		one.outer = math.Cos(half)
		one.inner = math.Cos(half * (1 - max(0, min(1, l.Feather.At(w.eval, s.t)/100))))
		out = append(out, one)
	}
	return out
}

func unitOf(v geom.Vec) geom.Vec {
	length := v.Len()
	if !(length > 0) {
		return geom.Vec{Z: 1}
	}
	return geom.Vec{X: v.X / length, Y: v.Y / length, Z: v.Z / length}
}

// values passes on all that a light is.
func (l *lamp) values(each func(...float64)) {
	each(float64(l.kind), l.at.X, l.at.Y, l.at.Z, l.way.X, l.way.Y, l.way.Z, l.inner, l.outer, float64(l.falloff), l.radius, l.reach, l.darkness, l.soft)
	each(l.color[:]...)
}

// lit tells whether a layer's picture depends on the lights of its composition: it is a 3D layer that accepts lights, and there are some.
func (w *worker) lit(v view) bool {
	m := v.layer.Material
	return m != nil && !v.own && len(v.world().comp.Lamps) > 0 && m.Accepts.At(w.eval, v.t) != 0 && len(w.lamps(v.stage)) > 0
}

// surface is how a 3D layer takes light: Lambert's law for what is diffuse, Phong's reflection for highlights (Phong, Illumination for Computer
// Generated Pictures, 1975), which have the colour of the layer as far as it is of metal.
type surface struct {
	lamps                             []lamp
	space                             geom.Space // from the layer to its composition
	normal, viewer                    geom.Vec
	ambient, diffuse, specular, metal float64
	shininess, transmission           float64
	unlit                             bool       // it does not accept lights, but shadows
	shadowOnly                        bool       // nothing of it is seen but the shadows on it
	shadows                           [][]shadow // of each lamp; nil where there are none
}

// surface is that of a layer, without shadows.
func (w *worker) surface(v view) *surface {
	m, e := v.layer.Material, w.eval
	camera := w.camera(&v.stage)
	share := func(n float64) float64 { return n / 100 }
	s := &surface{
		lamps: w.lamps(v.stage), space: w.spaceOf(v.stage, v.layer, camera.At), viewer: camera.At,
		ambient: share(m.Ambient.At(e, v.t)), diffuse: share(m.Diffuse.At(e, v.t)), specular: share(m.Specular.At(e, v.t)),
		metal: share(m.Metal.At(e, v.t)), shininess: max(1, min(200, m.Shininess.At(e, v.t))), transmission: share(m.Transmission.At(e, v.t)),
	}
	s.unlit = m.Accepts.At(e, v.t) == 0
	x, y := s.space.X, s.space.Y
	s.normal = unitOf(geom.Vec{X: x.Y*y.Z - x.Z*y.Y, Y: x.Z*y.X - x.X*y.Z, Z: x.X*y.Y - x.Y*y.X})
	return s
}

// inShadow adds the shadows that fall on a layer to its surface.
func (w *worker) inShadow(s *surface, v view) error {
	if !w.shadowed(v) {
		return nil
	}
	s.shadowOnly = v.layer.Material.AcceptsShadows.At(w.eval, v.t) == scene.Only
	casters := w.casters(v)
	s.shadows = make([][]shadow, len(s.lamps))
	for i := range s.lamps {
		var err error
		if s.shadows[i], err = w.shadows(&s.lamps[i], casters, s.space); err != nil {
			return err
		}
	}
	return nil
}

// shadeOf is the surface of a layer that is shaded, with its shadows, and what maps pixels of its picture to it; nil when lights change nothing of it.
func (w *worker) shadeOf(v view, m geom.Matrix, h *geom.Homography) (*surface, geom.Homography, error) {
	place := v.place()
	back, ok := place.Invert()
	if !ok || !w.shaded(v) {
		return nil, back, nil
	}
	s := w.surface(v)
	if err := w.inShadow(s, v); err != nil {
		return nil, back, err
	}
	if h != nil {
		return s, back.Mul(*h), nil
	}
	return s, back.Mul(geom.Perspective(m)), nil
}

// shade lights the picture of a 3D layer, whose pixels it copies. It releases the picture when it fails.
func (w *worker) shade(v view, p picture) (picture, error) {
	if p.img == nil {
		return p, nil
	}
	s, to, err := w.shadeOf(v, p.m, p.h)
	if err != nil {
		p.release()
		return picture{}, err
	}
	if s == nil {
		return p, nil
	}
	out := w.r.surfaces.get(p.img.Rect)
	s.light(out, p.img, &to)
	p.release()
	p.img, p.release = out, func() { w.r.surfaces.put(out) }
	return p, nil
}

// light lights the pixels of src, which to maps to the layer.
func (s *surface) light(dst, src *raster.Image, to *geom.Homography) {
	r := src.Rect
	for y := r.Min.Y; y < r.Max.Y; y++ {
		in, out := src.Pix[src.PixOffset(r.Min.X, y):], dst.Pix[dst.PixOffset(r.Min.X, y):]
		for i := range r.Dx() {
			px := in[4*i : 4*i+4]
			if px[3] == 0 {
				continue
			}
			body, shine, reaches := s.seen(to, r.Min.X+i, y)
			a := float64(px[3])
			if s.shadowOnly {
				out[4*i+3] = uint8(a*(1-reaches) + 0.5)
				continue
			}
			for c := range 3 {
				v := float64(px[c])
				v = v*body[c] + shine[c]*(v*s.metal+a*(1-s.metal))
				out[4*i+c] = uint8(max(0, min(a, v)) + 0.5)
			}
			out[4*i+3] = px[3]
		}
	}
}

// seen is the light at a pixel of a picture that to maps to the layer.
func (s *surface) seen(to *geom.Homography, x, y int) (body, shine [3]float64, reaches float64) {
	p := geom.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5}
	at, _ := to.Apply(p)
	var foot geom.Matrix
	if s.shadows != nil {
		foot, _ = to.At(p)
	}
	return s.at(at, foot)
}

// at is the light at a place of the layer: by what its colour is multiplied, its highlights, and how much of the light its shadows let through. foot
// maps a pixel of the picture to the layer.
func (s *surface) at(at geom.Point, foot geom.Matrix) (body, shine [3]float64, reaches float64) {
	p := s.space.Apply(geom.Vec{X: at.X, Y: at.Y})
	if s.unlit {
		return s.dimmed(at, p, foot)
	}
	view := unitOf(s.viewer.Sub(p))
	normal := s.normal
	if normal.Dot(view) < 0 { // its back is seen
		normal = geom.Vec{}.Sub(normal)
	}
	whole := 0.0 // of the light that would be there without shadows
	for i := range s.lamps {
		l := &s.lamps[i]
		if l.kind == scene.AmbientLight {
			whole += add(&body, l.color, s.ambient)
			continue
		}
		towards, k := l.falls(p)
		color := l.color
		if k > 0 {
			color = s.through(i, at, foot)
		}
		lambert := normal.Dot(towards)
		if lambert <= 0 { // from behind
			add(&body, color, -lambert*k*s.diffuse*s.transmission)
			whole -= lambert * k * s.diffuse * s.transmission * (l.color[0] + l.color[1] + l.color[2])
			continue
		}
		add(&body, color, lambert*k*s.diffuse)
		whole += lambert * k * s.diffuse * (l.color[0] + l.color[1] + l.color[2])
		reflected := geom.Vec{X: 2*lambert*normal.X - towards.X, Y: 2*lambert*normal.Y - towards.Y, Z: 2*lambert*normal.Z - towards.Z}
		if cos := reflected.Dot(view); cos > 0 {
			add(&shine, color, math.Pow(cos, s.shininess)*k*s.specular)
		}
	}
	return body, shine, share(body[0]+body[1]+body[2], whole)
}

// share is a part of a whole, all of nothing.
func share(part, whole float64) float64 {
	if !(whole > 0) {
		return 1
	}
	return max(0, min(1, part/whole))
}

// dimmed is the light at a place of a layer that accepts shadows, but no lights: its own colour, as far as no light is kept from it.
func (s *surface) dimmed(at geom.Point, p geom.Vec, foot geom.Matrix) (body, shine [3]float64, reaches float64) {
	body = [3]float64{1, 1, 1}
	for i := range s.shadows {
		_, k := s.lamps[i].falls(p)
		for j := range s.shadows[i] {
			for c, passes := range s.shadows[i][j].passes(at, foot) {
				body[c] *= 1 - max(0, min(1, k))*(1-passes)
			}
		}
	}
	return body, shine, share(body[0]+body[1]+body[2], 3)
}

// through is the colour of a lamp after the layers that cast shadows.
func (s *surface) through(i int, at geom.Point, foot geom.Matrix) [3]float64 {
	color := s.lamps[i].color
	if s.shadows == nil {
		return color
	}
	for j := range s.shadows[i] {
		for c, passes := range s.shadows[i][j].passes(at, foot) {
			color[c] *= passes
		}
	}
	return color
}

// add adds light of a colour, and tells how much that is.
func add(sum *[3]float64, color [3]float64, k float64) float64 {
	for c := range sum {
		sum[c] += color[c] * k
	}
	return (color[0] + color[1] + color[2]) * k
}

// falls is from where a light falls on a place, and how much of it.
func (l *lamp) falls(p geom.Vec) (towards geom.Vec, k float64) {
	if l.kind == scene.ParallelLight {
		return geom.Vec{}.Sub(l.way), 1
	}
	d := l.at.Sub(p)
	towards, k = unitOf(d), l.fades(d.Len())
	if l.kind == scene.SpotLight {
		cos := -towards.Dot(l.way)
		switch {
		case cos <= l.outer:
			k = 0
		case cos < l.inner:
			u := (cos - l.outer) / (l.inner - l.outer)
			k *= u * u * (3 - 2*u)
		}
	}
	return towards, k
}

// fades is how much of a light reaches so far.
func (l *lamp) fades(far float64) float64 {
	if far <= l.radius {
		return 1
	}
	switch l.falloff {
	case falloffSmooth:
		if !(l.reach > 0) {
			return 0
		}
		return max(0, 1-(far-l.radius)/l.reach)
	case falloffInverse:
		return l.radius * l.radius / (far * far)
	}
	return 1
}

// lighting adds what a layer's light depends on.
func (l *looking) lighting(v view) {
	if !l.w.shaded(v) {
		return
	}
	s := l.w.surface(v)
	for i := range s.lamps {
		s.lamps[i].values(l.numbers)
	}
	l.numbers(s.viewer.X, s.viewer.Y, s.viewer.Z)
	for _, row := range []geom.Vec{s.space.X, s.space.Y, s.space.Z, s.space.Move} {
		l.numbers(row.X, row.Y, row.Z)
	}
	if !l.w.shadowed(v) {
		return
	}
	camera := l.w.camera(&v.stage)
	for _, one := range l.w.casters(v) {
		place := l.w.spaceOf(one.stage, one.layer, camera.At)
		for _, row := range []geom.Vec{place.X, place.Y, place.Move} {
			l.numbers(row.X, row.Y, row.Z)
		}
	}
}
