package eval

import (
	"math"

	"overcrank/aep"
	"overcrank/engine/geom"
)

// maxParents limits a chain of parents; a longer one is a circle in a broken file.
const maxParents = 100

// LayerMatrix maps pixels of l to pixels of its composition at time t, parents included. For a 3D layer it is the
// projection along z.
func (e *Evaluator) LayerMatrix(comp *aep.Item, l *aep.Layer, t float64) geom.Matrix {
	m := e.ownMatrix(comp, l, t)
	for range maxParents {
		l = LayerByID(comp.Comp, l.Parent)
		if l == nil {
			break
		}
		m = e.ownMatrix(comp, l, t).Mul(m)
	}
	return m
}

// ownMatrix maps pixels of l to pixels of its parent, or of the composition when it has none.
func (e *Evaluator) ownMatrix(comp *aep.Item, l *aep.Layer, t float64) geom.Matrix {
	group := l.Props.Child("ADBE Transform Group")
	at := func(match string) Ref { return Ref{comp, l, group.Child(match)} }
	position := at("ADBE Position")
	px, py := float64(comp.Comp.Width)/2, float64(comp.Comp.Height)/2
	if l.Parent != 0 && position.Prop == nil {
		px, py = 0, 0
	}
	px, py = e.Pair(position, t, px, py)
	ax, ay := 0.0, 0.0
	if w, h, ok := e.sourceSize(l); ok {
		ax, ay = w/2, h/2
	}
	ax, ay = e.Pair(at("ADBE Anchor Point"), t, ax, ay)
	sx, sy := e.Pair(at("ADBE Scale"), t, 100, 100)
	turn := e.Number(at("ADBE Rotate Z"), t, 0)
	if l.ThreeD {
		if n := numbers(e.Value(at("ADBE Orientation"), t)); len(n) > 2 {
			turn += n[2]
		}
	}
	if l.AutoOrient && position.Prop != nil {
		turn += e.heading(position, t)
	}
	m := geom.Translate(px, py)
	if turn != 0 {
		m = m.Mul(geom.Rotate(turn))
	}
	return m.Mul(geom.Scale(sx/100, sy/100)).Mul(geom.Translate(-ax, -ay))
}

// heading is the direction, in degrees, in which a position moves at t.
func (e *Evaluator) heading(position Ref, t float64) float64 {
	keys := position.Prop.Keys
	if len(keys) < 2 {
		return 0
	}
	const step = 1e-3
	lo, hi := CompTime(position.Layer, keys[0].Time), CompTime(position.Layer, keys[len(keys)-1].Time)
	if lo > hi {
		lo, hi = hi, lo
	}
	t = math.Min(math.Max(t, lo+step), hi-step)
	x0, y0 := e.Pair(position, t-step, 0, 0)
	x1, y1 := e.Pair(position, t+step, 0, 0)
	if math.Hypot(x1-x0, y1-y0) < 1e-9 {
		return 0
	}
	return math.Atan2(y1-y0, x1-x0) * 180 / math.Pi
}

func (e *Evaluator) sourceSize(l *aep.Layer) (w, h float64, ok bool) {
	if e.Project == nil || l.Source == 0 {
		return 0, 0, false
	}
	w, h = SourceSize(e.Project, l)
	return w, h, true
}

// SourceSize is the size of the layer's source in pixels; 0, 0 for layers without one.
func SourceSize(p *aep.Project, l *aep.Layer) (w, h float64) {
	switch it := p.Item(l.Source); {
	case it == nil:
	case it.Comp != nil:
		return float64(it.Comp.Width), float64(it.Comp.Height)
	case it.Footage != nil:
		return float64(it.Footage.Width), float64(it.Footage.Height)
	}
	return 0, 0
}

// LayerByID is the layer of c with an id; nil when id is 0 or unknown.
func LayerByID(c *aep.Composition, id uint32) *aep.Layer {
	if id == 0 {
		return nil
	}
	for _, l := range c.Layers {
		if l.ID == id {
			return l
		}
	}
	return nil
}
