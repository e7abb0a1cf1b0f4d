package expression

import (
	"math"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// pathRef is a path as expressions see it.
type pathRef struct{ path *aep.Path }

func (m *Machine) pathObject(p *aep.Path) goja.Value {
	o := m.rt.CreateObject(m.classes.path)
	m.things[o] = &pathRef{p}
	m.cur.styles = append(m.cur.styles, o)
	return o
}

// pathOf is the path in a path object or a property.
func (m *Machine) pathOf(v goja.Value, t float64) *aep.Path {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	switch r := m.things[o].(type) {
	case *pathRef:
		return r.path
	case *node:
		if p, ok := m.valueAt(r, t).(*aep.Path); ok {
			return p
		}
	}
	return nil
}

func (m *Machine) definePaths() {
	m.define("createPath", func(c goja.FunctionCall) goja.Value {
		points := m.points(c.Argument(0))
		in, out := m.points(c.Argument(1)), m.points(c.Argument(2))
		p := &aep.Path{Closed: m.flag(c, 3, true)}
		if len(c.Arguments) == 0 {
			points = [][2]float64{{0, 0}, {100, 0}, {100, 100}, {0, 100}}
		}
		for i, xy := range points {
			v := aep.Vertex{X: xy[0], Y: xy[1]}
			if i < len(in) {
				v.InX, v.InY = in[i][0], in[i][1]
			}
			if i < len(out) {
				v.OutX, v.OutY = out[i][0], out[i][1]
			}
			p.Vertices = append(p.Vertices, v)
		}
		return m.pathObject(p)
	})
	for name, at := range map[string]func(aep.Vertex) []float64{
		"points":      func(v aep.Vertex) []float64 { return []float64{v.X, v.Y} },
		"inTangents":  func(v aep.Vertex) []float64 { return []float64{v.InX, v.InY} },
		"outTangents": func(v aep.Vertex) []float64 { return []float64{v.OutX, v.OutY} },
	} {
		m.pathMethod(name, 0, func(p *aep.Path, _ goja.FunctionCall) goja.Value {
			list := make([]any, len(p.Vertices))
			for i, v := range p.Vertices {
				list[i] = m.array(at(v))
			}
			return m.rt.NewArray(list...)
		})
	}
	m.pathMethod("isClosed", 0, func(p *aep.Path, _ goja.FunctionCall) goja.Value { return m.rt.ToValue(p.Closed) })
	m.pathMethod("pointOnPath", 1, func(p *aep.Path, c goja.FunctionCall) goja.Value {
		x, y, _, _ := along(p, m.arg(c, 0, 0.5, "pointOnPath"))
		return m.array([]float64{x, y})
	})
	m.pathMethod("tangentOnPath", 1, func(p *aep.Path, c goja.FunctionCall) goja.Value {
		_, _, dx, dy := along(p, m.arg(c, 0, 0.5, "tangentOnPath"))
		return m.array([]float64{dx, dy})
	})
	m.pathMethod("normalOnPath", 1, func(p *aep.Path, c goja.FunctionCall) goja.Value {
		_, _, dx, dy := along(p, m.arg(c, 0, 0.5, "normalOnPath"))
		return m.array([]float64{-dy, dx})
	})
}

// pathMethod defines a method of paths; its argument at index timeAt is the time.
func (m *Machine) pathMethod(name string, timeAt int, f func(p *aep.Path, c goja.FunctionCall) goja.Value) {
	fn := func(c goja.FunctionCall) goja.Value {
		this := c.This
		if m.pathOf(this, m.cur.time) == nil {
			this = m.thisProperty().object
		}
		p := m.pathOf(this, m.arg(c, timeAt, m.cur.time, name))
		if p == nil {
			m.throw("%s: there is no path", name)
		}
		return f(p, c)
	}
	_ = m.classes.path.Set(name, fn)
	m.define(name, fn)
}

func (m *Machine) points(v goja.Value) [][2]float64 {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	n := int(o.Get("length").ToInteger())
	if n < 0 || n > 1<<16 {
		m.throw("createPath: %d points", n)
	}
	out := make([][2]float64, n)
	for i := range out {
		xy, _ := m.floats(o.Get(itoa(i)), "createPath")
		out[i] = [2]float64{element(xy, 0), element(xy, 1)}
	}
	return out
}

func (m *Machine) outline(out goja.Value) (aep.Value, error) {
	if p := m.pathOf(out, m.cur.time); p != nil {
		return p, nil
	}
	return nil, &Error{Message: "the expression gives no path"}
}

// along is the point and the direction at a fraction of the length of a path.
func along(p *aep.Path, share float64) (x, y, dx, dy float64) {
	const steps = 32
	type step struct{ x, y, dx, dy, length float64 }
	var list []step
	total := 0.0
	n := len(p.Vertices)
	segments := n - 1
	if p.Closed {
		segments = n
	}
	for i := range max(segments, 0) {
		a, b := p.Vertices[i], p.Vertices[(i+1)%n]
		px, py := a.X, a.Y
		for j := 1; j <= steps; j++ {
			t := float64(j) / steps
			u := 1 - t
			cx := u*u*u*a.X + 3*u*u*t*(a.X+a.OutX) + 3*u*t*t*(b.X+b.InX) + t*t*t*b.X
			cy := u*u*u*a.Y + 3*u*u*t*(a.Y+a.OutY) + 3*u*t*t*(b.Y+b.InY) + t*t*t*b.Y
			l := math.Hypot(cx-px, cy-py)
			list = append(list, step{px, py, cx - px, cy - py, l})
			total += l
			px, py = cx, cy
		}
	}
	if len(list) == 0 {
		if n > 0 {
			return p.Vertices[0].X, p.Vertices[0].Y, 1, 0
		}
		return 0, 0, 1, 0
	}
	want := min(max(share, 0), 1) * total
	last := step{dx: 1, length: 1}
	for _, s := range list {
		if s.length == 0 {
			continue
		}
		last = s
		if want <= s.length {
			break
		}
		want -= s.length
	}
	f := min(want/last.length, 1)
	return last.x + last.dx*f, last.y + last.dy*f, last.dx / last.length, last.dy / last.length
}
