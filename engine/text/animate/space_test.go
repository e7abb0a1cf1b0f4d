package animate

import (
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

func inSpace(t testing.TB, face bool, groups ...*aep.Property) *Text {
	t.Helper()
	l := &aep.Layer{ThreeD: true, CharactersInSpace: true, CharactersFace: face, Props: group("layer")}
	x := Compile(eval.Ref{Layer: l, Prop: group("ADBE Text Properties", groups...)})
	if x == nil {
		t.Fatal("nothing changes the text")
	}
	return x
}

// A character of a text in space turns about the middle of its baseline as a 3D layer does.
func TestCharactersHaveAPlaceInSpace(t *testing.T) {
	for name, c := range map[string]struct {
		props []*aep.Property
		want  geom.Vec // of the second pen, whose character turns about (15, 0)
	}{
		"position":     {[]*aep.Property{value("ADBE Text Position 3D", 1, 2, -30)}, geom.Vec{X: 11, Y: 2, Z: -30}},
		"anchor point": {[]*aep.Property{value("ADBE Text Anchor Point 3D", 0, 0, 30)}, geom.Vec{X: 10, Z: -30}},
		"scale of the anchor point": {[]*aep.Property{value("ADBE Text Anchor Point 3D", 0, 0, 30), value("ADBE Text Scale 3D", 100, 100, 50)},
			geom.Vec{X: 10, Z: -15}},
		"turned about y": {[]*aep.Property{value("ADBE Text Rotation Y", 90)}, geom.Vec{X: 15, Z: 5}},
		"turned about x": {[]*aep.Property{value("ADBE Text Rotation X", 90), value("ADBE Text Anchor Point 3D", 0, 4, 0)}, geom.Vec{X: 10, Z: -4}},
		"turned about z and then y": {[]*aep.Property{value("ADBE Text Rotation", 90), value("ADBE Text Rotation Y", 90)},
			geom.Vec{X: 15, Y: -5}},
	} {
		t.Run(name, func(t *testing.T) {
			x := inSpace(t, false, animators(animated(nil, c.props...)))
			m := marks(t, x)[1]
			if got := geom.MoveBy(m.At).Mul(m.Own).Apply(geom.Vec{}); got.Sub(c.want).Len() > 1e-9 {
				t.Errorf("the pen is at %v, want %v", got, c.want)
			}
			if len(x.Nearly()) > 0 {
				t.Errorf("said: %v", x.Nearly())
			}
		})
	}
}

func TestCharactersThatFaceTheCameraAreSetOneByOne(t *testing.T) {
	if m := marks(t, inSpace(t, true)); len(m) != 5 || m[1].At != (geom.Vec{X: 15}) {
		t.Errorf("%d marks: %+v", len(m), m)
	}
}
