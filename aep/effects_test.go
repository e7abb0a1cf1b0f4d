package aep

import (
	"reflect"
	"testing"
)

// TestAPointThatTheFileLeavesOutLiesWhereItsEffectSays reads the description that After Effects writes of a point in the middle of the layer.
func TestAPointThatTheFileLeavesOutLiesWhereItsEffectSays(t *testing.T) {
	described := make([]byte, 148)
	described[pardKind] = byte(paramPoint)
	copy(described[pardPoint:], []byte{0, 50, 0, 0, 0, 25, 0x80, 0})
	p := &Project{effects: make(map[string]*effectDefinition)}
	r := reader{project: p}
	p.effects["Circle"] = &effectDefinition{params: []parameter{r.parameter("Circle-0001", described)}}
	circle := &Property{Match: "Circle", Group: true}
	comp := &Composition{Width: 640, Height: 360}
	l := &Layer{Kind: LayerShape, Props: &Property{Group: true, Children: []*Property{{Match: matchEffects, Group: true, Children: []*Property{circle}}}}}
	CompleteLayer(p, comp, l)
	if got := circle.Child("Circle-0001").Value; !reflect.DeepEqual(got, Numbers{320, 91.8}) {
		t.Errorf("the point lies at %v", got)
	}
}
