package eval

import (
	"math"

	"overcrank/aep"
	"overcrank/engine/geom"
)

// maxParents limits a chain of parents; a longer one is a circle in a broken file.
const maxParents = 100

// Transform is the transform of a layer, its properties found.
type Transform struct {
	parents []*Transform // from its own parent outwards; of these, parents is not set

	position, anchor, scale, orientation Vector
	turn, turnX, turnY                   Number // degrees; turn is that about z
	threeD, autoOrient                   bool

	moves  bool
	driven bool        // expressions determine it, or that of a parent
	fixed  geom.Matrix // while it does not move, of the layer alone
}

// TransformOf finds the transform of a layer of a composition; both must not change any more.
func TransformOf(p *aep.Project, comp *aep.Item, l *aep.Layer) *Transform {
	t := ownTransform(p, comp, l)
	for parent := LayerByID(comp.Comp, l.Parent); parent != nil && len(t.parents) < maxParents; parent = LayerByID(comp.Comp, parent.Parent) {
		t.parents = append(t.parents, ownTransform(p, comp, parent))
		t.driven = t.driven || t.parents[len(t.parents)-1].driven
	}
	return t
}

func ownTransform(p *aep.Project, comp *aep.Item, l *aep.Layer) *Transform {
	group := l.Props.Child("ADBE Transform Group")
	at := func(match string) Ref { return Ref{comp, l, group.Child(match)} }
	t := &Transform{threeD: l.ThreeD || l.Kind == aep.LayerCamera || l.Kind == aep.LayerLight}
	// A new layer is in the middle of its composition, and a child where its parent is.
	middle := [4]float64{float64(comp.Comp.Width) / 2, float64(comp.Comp.Height) / 2}
	if l.Parent != 0 {
		middle = [4]float64{}
	}
	t.position = VectorOf(at("ADBE Position"), middle)
	t.autoOrient = l.AutoOrient && t.position.Has()
	w, h := 0.0, 0.0
	if p != nil && l.Source != 0 {
		w, h = SourceSize(p, l)
	}
	t.anchor = VectorOf(at("ADBE Anchor Point"), [4]float64{w / 2, h / 2})
	t.scale = VectorOf(at("ADBE Scale"), [4]float64{100, 100, 100})
	t.turnX, t.turnY, t.turn = NumberOf(at("ADBE Rotate X"), 0), NumberOf(at("ADBE Rotate Y"), 0), NumberOf(at("ADBE Rotate Z"), 0)
	t.orientation = VectorOf(at("ADBE Orientation"), [4]float64{})
	t.moves = t.position.Varies() || t.anchor.Varies() || t.scale.Varies() || t.turn.Varies() || t.orientation.Varies() ||
		t.threeD && (t.turnX.Varies() || t.turnY.Varies())
	for _, s := range [...]*Slot{&t.position.Slot, &t.anchor.Slot, &t.scale.Slot, &t.turn.Slot, &t.orientation.Slot} {
		t.driven = t.driven || s.Has() && (Driven(s.Prop()) || s.Prop().Separated)
	}
	if !t.moves {
		t.fixed = t.own(nil, 0)
	}
	return t
}

// Moves tells whether the transform, or that of a parent, may change over time.
func (t *Transform) Moves() bool {
	for _, p := range t.parents {
		if p.moves {
			return true
		}
	}
	return t.moves
}

// Matrix maps pixels of the layer to pixels of its composition at composition time at, parents included. For a 3D layer it is the projection
// along z.
func (t *Transform) Matrix(e *Evaluator, at float64) geom.Matrix {
	if t.driven {
		return e.place(t, at)
	}
	return t.matrix(e, at)
}

func (t *Transform) matrix(e *Evaluator, at float64) geom.Matrix {
	m := t.own(e, at)
	for _, p := range t.parents {
		m = p.own(e, at).Mul(m)
	}
	return m
}

// Magnifies is by how much the transform, parents included, enlarges a layer at most, in any direction and at any time; infinite where that is not
// known without running expressions. It does not see that what is near in space is seen larger.
func (t *Transform) Magnifies() float64 {
	most := t.scale.Bound(2) / 100
	for _, p := range t.parents {
		most *= p.scale.Bound(2) / 100
	}
	return most
}

// own maps pixels of the layer to pixels of its parent, or of the composition when it has none.
func (t *Transform) own(e *Evaluator, at float64) geom.Matrix {
	if !t.moves && e != nil {
		return t.fixed
	}
	position, anchor, scale := t.position.At(e, at), t.anchor.At(e, at), t.scale.At(e, at)
	turn := t.turn.At(e, at)
	if t.threeD {
		turn += t.orientation.At(e, at)[2]
	}
	if t.autoOrient {
		turn += t.heading(e, at)
	}
	m := geom.Translate(position[0], position[1])
	if turn != 0 {
		m = m.Mul(geom.Rotate(turn))
	}
	return m.Mul(geom.Scale(scale[0]/100, scale[1]/100)).Mul(geom.Translate(-anchor[0], -anchor[1]))
}

// heading is the direction, in degrees, in which the position moves.
func (t *Transform) heading(e *Evaluator, at float64) float64 {
	keys := t.position.Prop().Keys
	if len(keys) < 2 {
		return 0
	}
	const step = 1e-3
	layer := t.position.ref.Layer
	lo, hi := CompTime(layer, keys[0].Time), CompTime(layer, keys[len(keys)-1].Time)
	if lo > hi {
		lo, hi = hi, lo
	}
	at = math.Min(math.Max(at, lo+step), hi-step)
	a, b := t.position.At(e, at-step), t.position.At(e, at+step)
	if math.Hypot(b[0]-a[0], b[1]-a[1]) < 1e-9 {
		return 0
	}
	return math.Atan2(b[1]-a[1], b[0]-a[0]) * 180 / math.Pi
}

// LayerMatrix is the Transform's Matrix of a layer. Between two frames the project does not change, so that transforms are kept from the first
// BeginFrame on.
func (e *Evaluator) LayerMatrix(comp *aep.Item, l *aep.Layer, t float64) geom.Matrix {
	return e.transform(comp, l).Matrix(e, t)
}

func (e *Evaluator) transform(comp *aep.Item, l *aep.Layer) *Transform {
	if e.memo == nil {
		return TransformOf(e.Project, comp, l)
	}
	known := e.transforms[l]
	if known == nil {
		known = TransformOf(e.Project, comp, l)
		if e.transforms == nil {
			e.transforms = make(map[*aep.Layer]*Transform)
		}
		e.transforms[l] = known
	}
	return known
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
