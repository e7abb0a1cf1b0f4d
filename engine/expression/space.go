package expression

import (
	"math"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// defineSpaces defines the conversions between the pixels of a layer, those of its composition and those of its world.
func (m *Machine) defineSpaces() {
	for _, s := range []struct {
		name string
		conversion
	}{
		{"toComp", conversion{view: true}}, {"fromComp", conversion{view: true, inverse: true}},
		{"toWorld", conversion{}}, {"fromWorld", conversion{inverse: true}},
		{"toCompVec", conversion{view: true, vector: true}}, {"fromCompVec", conversion{view: true, inverse: true, vector: true}},
		{"toWorldVec", conversion{vector: true}}, {"fromWorldVec", conversion{inverse: true, vector: true}},
		{"fromCompToSurface", conversion{view: true, inverse: true, surface: true}},
	} {
		m.layerMethod(s.name, func(n *layerNode, c goja.FunctionCall) any {
			v, _ := m.floats(c.Argument(0), s.name)
			t := m.arg(c, 1, m.cur.time, s.name)
			if n.deep() {
				return s.deep(m, n, v, t)
			}
			return s.flat(m, n, v, t)
		})
	}
}

// conversion is what a conversion between spaces does.
type conversion struct {
	view    bool // to and from the composition as its camera shows it, instead of the world
	inverse bool // to the layer
	vector  bool // of a direction
	surface bool // to the point of the layer that is seen there
}

// deep tells whether the layer, or a parent, is in space.
func (n *layerNode) deep() bool {
	l := n.l
	for range maxParents {
		if l == nil {
			return false
		}
		if l.ThreeD || l.Kind == aep.LayerCamera || l.Kind == aep.LayerLight {
			return true
		}
		l = eval.LayerByID(n.comp.Comp, l.Parent)
	}
	return false
}

// maxParents limits a chain of parents; a longer one is a circle in a broken file.
const maxParents = 100

// flat converts a point of a layer that lies, as all its parents, in the plane of the composition.
func (s conversion) flat(m *Machine, n *layerNode, v []float64, t float64) any {
	if m.host.Eval == nil {
		return v
	}
	mat := m.host.Eval.LayerMatrix(n.comp, n.l, t)
	if s.vector {
		mat.E, mat.F = 0, 0
	}
	if s.inverse {
		back, ok := mat.Invert()
		if !ok {
			m.throw("the layer %q is scaled to nothing", m.host.Project.DisplayName(n.l))
		}
		mat = back
	}
	p := mat.Apply(geom.Point{X: element(v, 0), Y: element(v, 1)})
	out := []float64{p.X, p.Y}
	if len(v) > 2 {
		out = append(out, v[2])
	}
	return out
}

// deep converts a point of a layer in space. Cameras see a point at the distance of their zoom at its own place; that distance is the
// third number of a point of the composition, from the plane that is seen so.
func (s conversion) deep(m *Machine, n *layerNode, v []float64, t float64) any {
	world := m.world(n.comp, n.l, t)
	eye, zoom := m.camera(n.comp, t)
	if !s.view {
		zoom = 0
		eye = identity()
	}
	all := eye.mul(world)
	p := point{element(v, 0), element(v, 1), element(v, 2)}
	center := point{float64(n.comp.Comp.Width) / 2, float64(n.comp.Comp.Height) / 2, zoom}
	if !s.inverse {
		if p = all.apply(p, !s.vector); zoom != 0 && !s.vector {
			p = point{center[0] + p[0]*zoom/p[2], center[1] + p[1]*zoom/p[2], p[2] - zoom}
		}
		return p[:]
	}
	back, ok := all.invert()
	if !ok {
		m.throw("the layer %q is scaled to nothing", m.host.Project.DisplayName(n.l))
	}
	switch {
	case s.vector || zoom == 0:
	case s.surface:
		return back.surface(point{(p[0] - center[0]) / zoom, (p[1] - center[1]) / zoom, 1})
	default:
		far := p[2] + zoom
		p = point{(p[0] - center[0]) * far / zoom, (p[1] - center[1]) * far / zoom, far}
	}
	p = back.apply(p, !s.vector)
	return p[:]
}

// surface is where the ray from the camera in a direction meets the plane of the layer; a maps to the space of the layer.
func (a affine) surface(ray point) []float64 {
	from, along := a.apply(point{}, true), a.apply(ray, false)
	if along[2] == 0 {
		return []float64{0, 0, 0}
	}
	k := -from[2] / along[2]
	return []float64{from[0] + along[0]*k, from[1] + along[1]*k, 0}
}

// world maps the space of a layer to that of the composition's world.
func (m *Machine) world(comp *aep.Item, l *aep.Layer, t float64) affine {
	out := m.placed(comp, l, t)
	for range maxParents {
		if l = eval.LayerByID(comp.Comp, l.Parent); l == nil {
			break
		}
		out = m.placed(comp, l, t).mul(out)
	}
	return out
}

// placed maps the space of a layer to that of its parent. Rotations apply in the order z, y, x, before the orientation; a camera with a
// point of interest first looks there.
func (m *Machine) placed(comp *aep.Item, l *aep.Layer, t float64) affine {
	group := l.Props.Child("ADBE Transform Group")
	at := func(match string, def float64) point {
		out := point{def, def, def}
		if v, ok := m.at(comp, l, group.Child(match), t).(aep.Numbers); ok {
			copy(out[:], v)
		}
		return out
	}
	position, turn := at("ADBE Position", 0), at("ADBE Rotate Z", 0)[0]
	if !l.ThreeD && l.Kind != aep.LayerCamera && l.Kind != aep.LayerLight {
		position[2] = 0
	}
	out := moved(position)
	lens := l.Kind == aep.LayerCamera || l.Kind == aep.LayerLight
	if aim := group.Child("ADBE Anchor Point"); lens && aim != nil && !aim.Hidden {
		out = out.mul(turned(looking(position, at("ADBE Anchor Point", 0))))
	}
	if l.ThreeD || lens {
		out = out.mul(turned(at("ADBE Orientation", 0)))
		out = out.mul(turned(point{at("ADBE Rotate X", 0)[0], at("ADBE Rotate Y", 0)[0], turn}))
	} else {
		out = out.mul(turned(point{0, 0, turn}))
	}
	if lens {
		return out
	}
	scale, anchor := at("ADBE Scale", 100), at("ADBE Anchor Point", 0)
	if !l.ThreeD {
		scale[2], anchor[2] = 100, 0
	}
	return out.mul(scaled(scale)).mul(moved(point{-anchor[0], -anchor[1], -anchor[2]}))
}

// camera maps the world to the space of the active camera, and is its zoom. Without a camera it is that of a new one: 50 mm on a film 36 mm
// wide, before the middle of the composition.
func (m *Machine) camera(comp *aep.Item, t float64) (affine, float64) {
	l := activeCamera(comp.Comp, t)
	m.clock()
	if l == nil {
		zoom := float64(comp.Comp.Width) * 50 / 36
		return moved(point{-float64(comp.Comp.Width) / 2, -float64(comp.Comp.Height) / 2, zoom}), zoom
	}
	zoom := 1.0
	if v, ok := m.at(comp, l, l.Props.Find("ADBE Camera Options Group", "ADBE Camera Zoom"), t).(aep.Numbers); ok && len(v) > 0 && v[0] > 0 {
		zoom = v[0]
	}
	back, ok := m.world(comp, l, t).invert()
	if !ok {
		return identity(), zoom
	}
	return back, zoom
}

// point is a point or a direction in space: x to the right, y down, z away from the viewer.
type point [3]float64

// affine maps (x, y, z) to its three rows times (x, y, z, 1).
type affine [3][4]float64

func identity() affine { return affine{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}} }

func moved(p point) affine { return affine{{1, 0, 0, p[0]}, {0, 1, 0, p[1]}, {0, 0, 1, p[2]}} }

// scaled stretches by percents.
func scaled(p point) affine {
	return affine{{p[0] / 100, 0, 0, 0}, {0, p[1] / 100, 0, 0}, {0, 0, p[2] / 100, 0}}
}

// turned turns about z, then y, then x, by degrees.
func turned(p point) affine {
	sx, cx := math.Sincos(p[0] * math.Pi / 180)
	sy, cy := math.Sincos(p[1] * math.Pi / 180)
	sz, cz := math.Sincos(p[2] * math.Pi / 180)
	x := affine{{1, 0, 0, 0}, {0, cx, -sx, 0}, {0, sx, cx, 0}}
	y := affine{{cy, 0, sy, 0}, {0, 1, 0, 0}, {-sy, 0, cy, 0}}
	z := affine{{cz, -sz, 0, 0}, {sz, cz, 0, 0}, {0, 0, 1, 0}}
	return x.mul(y).mul(z)
}

// looking is the orientation, in degrees, whose z axis points from one point to another.
func looking(from, to point) point {
	x, y, z := to[0]-from[0], to[1]-from[1], to[2]-from[2]
	if x == 0 && y == 0 && z == 0 {
		return point{}
	}
	return point{-math.Atan2(y, z) * 180 / math.Pi, math.Atan2(x, math.Hypot(y, z)) * 180 / math.Pi, 0}
}

// apply maps a point, or a direction.
func (a affine) apply(p point, isPoint bool) (out point) {
	for i, row := range a {
		out[i] = row[0]*p[0] + row[1]*p[1] + row[2]*p[2]
		if isPoint {
			out[i] += row[3]
		}
	}
	return out
}

// mul is a applied after b.
func (a affine) mul(b affine) (out affine) {
	for i := range 3 {
		for j := range 4 {
			out[i][j] = a[i][0]*b[0][j] + a[i][1]*b[1][j] + a[i][2]*b[2][j]
		}
		out[i][3] += a[i][3]
	}
	return out
}

// invert is the inverse, from the cofactors; false when everything falls into a plane.
func (a affine) invert() (out affine, ok bool) {
	cofactor := func(i, j int) float64 {
		r, s, c, d := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
		return a[r][c]*a[s][d] - a[r][d]*a[s][c]
	}
	det := a[0][0]*cofactor(0, 0) + a[0][1]*cofactor(0, 1) + a[0][2]*cofactor(0, 2)
	if math.Abs(det) < 1e-12 {
		return identity(), false
	}
	for i := range 3 {
		for j := range 3 {
			out[i][j] = cofactor(j, i) / det
		}
	}
	back := out.apply(point{a[0][3], a[1][3], a[2][3]}, false)
	for i := range 3 {
		out[i][3] = -back[i]
	}
	return out, true
}
