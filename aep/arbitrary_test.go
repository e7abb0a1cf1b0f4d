package aep

import (
	"reflect"
	"testing"

	"overcrank/aep/rifx"
)

func TestDataOfAnEffectsOwnKindAreReadWithTheirProperty(t *testing.T) {
	name := func(match string) rifx.Chunk {
		return rifx.Leaf("tdmn", append([]byte(match), make([]byte, 40-len(match))...))
	}
	description := make([]byte, tdb4Size)
	description[tdb4Dimensions+1] = 1
	value := rifx.List("tdbs", rifx.Leaf("tdb4", description), rifx.Leaf("cdat", make([]byte, 40)))
	list := rifx.List("tdgp",
		name("ADBE CurvesCustom-0001"), value, rifx.List("aRbs", rifx.Leaf("aRbp", []byte("curves"))),
		name("ADBE CurvesCustom-0002"), value,
		name(groupEnd), rifx.List("aRbs", rifx.Leaf("aRbp", []byte("nobody's"))))
	r := &reader{project: &Project{}, lim: DefaultLimits()}
	p := &Property{Group: true}
	if err := r.group(p, &list, &layerScope{comp: &Composition{}}, 0); err != nil {
		t.Fatal(err)
	}
	if len(p.Children) != 2 {
		t.Fatalf("%d properties were read", len(p.Children))
	}
	if got := p.Children[0].Value; !reflect.DeepEqual(got, Opaque("curves")) {
		t.Errorf("the curves are %v", got)
	}
	if got := p.Children[1].Value; !reflect.DeepEqual(got, Numbers{0}) {
		t.Errorf("the value after them is %v", got)
	}

	keyed := &Property{Keys: make([]Keyframe, 2)}
	both := rifx.List("aRbs", rifx.Leaf("aRbp", []byte("first")), rifx.Leaf("aRbp", []byte("second")), rifx.Leaf("aRbp", []byte("of no keyframe")))
	if err := r.arbitrary(keyed, &both); err != nil {
		t.Fatal(err)
	}
	if a, b := keyed.Keys[0].Value, keyed.Keys[1].Value; !reflect.DeepEqual(a, Opaque("first")) || !reflect.DeepEqual(b, Opaque("second")) {
		t.Errorf("the keyframes hold %s and %s", a, b)
	}
}
