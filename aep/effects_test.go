package aep

import (
	"reflect"
	"testing"

	"overcrank/aep/rifx"
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
	center := circle.Child("Circle-0001")
	if !reflect.DeepEqual(center.Value, Numbers{320, 91.8}) || center.Altered() {
		t.Errorf("the point lies at %v, altered: %t", center.Value, center.Altered())
	}
	if center.Value = (Numbers{320, 100}); !center.Altered() {
		t.Error("a point that was moved is not altered")
	}
}

func TestWhatCountsOfAChosenLayerIsRead(t *testing.T) {
	description := make([]byte, tdb4Size)
	description[tdb4Dimensions+1] = 1
	list := rifx.List("tdbs", rifx.Leaf("tdb4", description), rifx.Leaf("tdpi", []byte{0, 0, 0, 7}), rifx.Leaf("tdps", []byte{255, 255, 255, 255}))
	p := &Property{}
	if err := (&reader{project: &Project{}, lim: DefaultLimits()}).plain(p, &list, &layerScope{}); err != nil || p.LayerRef != 7 || p.LayerPart != LayerWithEffects {
		t.Errorf("layer %d, part %d, %v", p.LayerRef, p.LayerPart, err)
	}
}
