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
	e := m.host.Eval
	if e == nil {
		return v
	}
	p := geom.Vec{X: element(v, 0), Y: element(v, 1), Z: element(v, 2)}
	space := e.LayerSpace(n.comp, n.l, t)
	var lens geom.Lens
	if s.view {
		m.cur.moving = true // another camera may be the active one at another time
		view := e.View(n.comp, t)
		space, lens = view.From.Mul(space), view.Lens
	}
	if s.vector {
		space.Move = geom.Vec{}
	}
	if !s.inverse {
		p = space.Apply(p)
		if s.view && !s.vector {
			p = geom.Vec{X: lens.Center.X + p.X*lens.Zoom/p.Z, Y: lens.Center.Y + p.Y*lens.Zoom/p.Z, Z: p.Z - lens.Zoom}
		}
		return []float64{p.X, p.Y, p.Z}
	}
	back, ok := space.Invert()
	if !ok {
		m.throw("the layer %q is scaled to nothing", m.host.Project.DisplayName(n.l))
	}
	if s.surface {
		return surface(back, geom.Vec{X: (p.X - lens.Center.X) / lens.Zoom, Y: (p.Y - lens.Center.Y) / lens.Zoom, Z: 1})
	}
	if s.view && !s.vector {
		far := p.Z + lens.Zoom
		p = geom.Vec{X: (p.X - lens.Center.X) * far / lens.Zoom, Y: (p.Y - lens.Center.Y) * far / lens.Zoom, Z: far}
	}
	p = back.Apply(p)
	return []float64{p.X, p.Y, p.Z}
}

// surface is where the ray from the camera in a direction meets the plane of a layer; s maps the camera's space to the layer's.
func surface(s geom.Space, ray geom.Vec) []float64 {
	from := s.Move
	along := s.Apply(ray).Sub(from)
	if along.Z == 0 {
		return []float64{0, 0, 0}
	}
	k := -from.Z / along.Z
	return []float64{from.X + along.X*k, from.Y + along.Y*k, 0}
}

// looking is the orientation, in degrees, whose z axis points from one point to another.
func looking(from, to []float64) []float64 {
	x, y, z := element(to, 0)-element(from, 0), element(to, 1)-element(from, 1), element(to, 2)-element(from, 2)
	if x == 0 && y == 0 && z == 0 {
		return []float64{0, 0, 0}
	}
	return []float64{-math.Atan2(y, z) * 180 / math.Pi, math.Atan2(x, math.Hypot(y, z)) * 180 / math.Pi, 0}
}
