package eval

import (
	"overcrank/engine/geom"
)

// ThreeD tells whether the layer is a 3D layer, a camera or a light.
func (t *Transform) ThreeD() bool { return t.threeD }

// Space maps pixels of the layer, in its plane z = 0, to the space of its composition at composition time at, parents included.
func (t *Transform) Space(e *Evaluator, at float64) geom.Space {
	return t.around(e, at, t.ownSpace(e, at))
}

// Facing is the Space of a layer that faces a viewer at a position of the composition's space; of its parents only the place counts.
func (t *Transform) Facing(e *Evaluator, at float64, viewer geom.Vec) geom.Space {
	place := t.around(e, at, geom.MoveBy(vec(t.position.At(e, at)))).Apply(geom.Vec{})
	return geom.MoveBy(place).Mul(geom.Facing(place.Sub(viewer))).Mul(t.turned(e, at)).Mul(t.sized(e, at))
}

// Camera is the Space of a camera or light: it sees from the origin along z. One that is aimed sees its point of interest.
func (t *Transform) Camera(e *Evaluator, at float64, aimed bool) geom.Space {
	position := vec(t.position.At(e, at))
	m := geom.MoveBy(position)
	if aimed {
		m = m.Mul(geom.Facing(vec(t.anchor.At(e, at)).Sub(position)))
	}
	return t.around(e, at, m.Mul(t.turned(e, at)))
}

// around puts a Space of the layer within those of its parents.
func (t *Transform) around(e *Evaluator, at float64, own geom.Space) geom.Space {
	for _, p := range t.parents {
		own = p.ownSpace(e, at).Mul(own)
	}
	return own
}

// ownSpace maps pixels of the layer to the space of its parent, or of the composition when it has none.
func (t *Transform) ownSpace(e *Evaluator, at float64) geom.Space {
	if !t.threeD {
		return geom.InSpace(t.own(e, at))
	}
	m := geom.MoveBy(vec(t.position.At(e, at)))
	if t.autoOrient {
		m = m.Mul(geom.TurnZ(t.heading(e, at)))
	}
	return m.Mul(t.turned(e, at)).Mul(t.sized(e, at))
}

// turned is the orientation, and then the three rotations.
func (t *Transform) turned(e *Evaluator, at float64) geom.Space {
	o := t.orientation.At(e, at)
	m := geom.Here
	if o != [4]float64{} {
		m = geom.TurnX(o[0]).Mul(geom.TurnY(o[1])).Mul(geom.TurnZ(o[2]))
	}
	x, y, z := t.turnX.At(e, at), t.turnY.At(e, at), t.turn.At(e, at)
	if x == 0 && y == 0 && z == 0 {
		return m
	}
	return m.Mul(geom.TurnX(x)).Mul(geom.TurnY(y)).Mul(geom.TurnZ(z))
}

// sized is the scale about the anchor point.
func (t *Transform) sized(e *Evaluator, at float64) geom.Space {
	s, a := vec(t.scale.At(e, at)), vec(t.anchor.At(e, at))
	return geom.Stretch(geom.Vec{X: s.X / 100, Y: s.Y / 100, Z: s.Z / 100}).Mul(geom.MoveBy(geom.Vec{X: -a.X, Y: -a.Y, Z: -a.Z}))
}

func vec(v [4]float64) geom.Vec { return geom.Vec{X: v[0], Y: v[1], Z: v[2]} }
