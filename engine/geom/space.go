package geom

import "math"

// Vec is a position or a direction in space: x to the right, y down, z away from the viewer, in pixels, as in After Effects.
type Vec struct{ X, Y, Z float64 }

// Sub is the vector from b to a.
func (a Vec) Sub(b Vec) Vec { return Vec{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }

// Dot is the scalar product.
func (a Vec) Dot(b Vec) float64 { return a.X*b.X + a.Y*b.Y + a.Z*b.Z }

// Len is the length of a.
func (a Vec) Len() float64 { return math.Sqrt(a.Dot(a)) }

// Space maps positions in space: a linear map, given by what it makes of the three axes, and then a move.
type Space struct{ X, Y, Z, Move Vec }

// Here maps every position to itself.
var Here = Space{X: Vec{X: 1}, Y: Vec{Y: 1}, Z: Vec{Z: 1}}

// InSpace is m in the plane z = 0, and along z as it is.
func InSpace(m Matrix) Space {
	return Space{X: Vec{X: m.A, Y: m.B}, Y: Vec{X: m.C, Y: m.D}, Z: Vec{Z: 1}, Move: Vec{X: m.E, Y: m.F}}
}

// MoveBy moves by v.
func MoveBy(v Vec) Space {
	s := Here
	s.Move = v
	return s
}

// Stretch stretches along the axes.
func Stretch(v Vec) Space { return Space{X: Vec{X: v.X}, Y: Vec{Y: v.Y}, Z: Vec{Z: v.Z}} }

// TurnX turns by degrees about the x axis, from y towards z.
func TurnX(degrees float64) Space {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return Space{X: Vec{X: 1}, Y: Vec{Y: c, Z: s}, Z: Vec{Y: -s, Z: c}}
}

// TurnY turns by degrees about the y axis, from z towards x.
func TurnY(degrees float64) Space {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return Space{X: Vec{X: c, Z: -s}, Y: Vec{Y: 1}, Z: Vec{X: s, Z: c}}
}

// TurnZ turns by degrees about the z axis, from x towards y.
func TurnZ(degrees float64) Space {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return Space{X: Vec{X: c, Y: s}, Y: Vec{X: -s, Y: c}, Z: Vec{Z: 1}}
}

// Facing turns the z axis into a direction, without rolling: first about x, then about y. The zero direction leaves all as it is.
func Facing(direction Vec) Space {
	length := direction.Len()
	if !(length > 0) {
		return Here
	}
	yaw := math.Atan2(direction.X, direction.Z)
	pitch := math.Asin(max(-1, min(1, -direction.Y/length)))
	return TurnY(yaw * 180 / math.Pi).Mul(TurnX(pitch * 180 / math.Pi))
}

// linear maps a direction.
func (s Space) linear(v Vec) Vec {
	return Vec{
		s.X.X*v.X + s.Y.X*v.Y + s.Z.X*v.Z,
		s.X.Y*v.X + s.Y.Y*v.Y + s.Z.Y*v.Z,
		s.X.Z*v.X + s.Y.Z*v.Y + s.Z.Z*v.Z,
	}
}

// Apply maps a position.
func (s Space) Apply(v Vec) Vec {
	w := s.linear(v)
	return Vec{w.X + s.Move.X, w.Y + s.Move.Y, w.Z + s.Move.Z}
}

// Mul is s applied after t.
func (s Space) Mul(t Space) Space {
	return Space{X: s.linear(t.X), Y: s.linear(t.Y), Z: s.linear(t.Z), Move: s.Apply(t.Move)}
}

// Invert is the inverse of s; false when s flattens space.
func (s Space) Invert() (Space, bool) {
	cross := func(a, b Vec) Vec { return Vec{a.Y*b.Z - a.Z*b.Y, a.Z*b.X - a.X*b.Z, a.X*b.Y - a.Y*b.X} }
	rx, ry, rz := cross(s.Y, s.Z), cross(s.Z, s.X), cross(s.X, s.Y)
	det := s.X.Dot(rx)
	if math.Abs(det) < 1e-15 || math.IsNaN(det) || math.IsInf(det, 0) {
		return Space{}, false
	}
	out := Space{
		X: Vec{rx.X / det, ry.X / det, rz.X / det}, Y: Vec{rx.Y / det, ry.Y / det, rz.Y / det}, Z: Vec{rx.Z / det, ry.Z / det, rz.Z / det},
	}
	moved := out.linear(s.Move)
	out.Move = Vec{-moved.X, -moved.Y, -moved.Z}
	return out, true
}

// Lens sees space from the origin along the z axis.
type Lens struct {
	Zoom   float64 // pixels: what is as far away is seen in its own size
	Center Point   // where the z axis is seen
}

// See is how the plane z = 0 that s maps is seen. Of its denominators, 1 is the distance Zoom.
func (l Lens) See(s Space) Homography {
	row := func(v Vec) [3]float64 {
		return [3]float64{v.X + l.Center.X*v.Z/l.Zoom, v.Y + l.Center.Y*v.Z/l.Zoom, v.Z / l.Zoom}
	}
	x, y, o := row(s.X), row(s.Y), row(s.Move)
	return Homography{x[0], y[0], o[0], x[1], y[1], o[1], x[2], y[2], o[2]}
}
