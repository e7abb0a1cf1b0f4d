package scene_test

import (
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/scene"
)

func group(match string, children ...*aep.Property) *aep.Property {
	return &aep.Property{Match: match, Group: true, Enabled: true, Children: children}
}

func number(match string, v ...float64) *aep.Property {
	return &aep.Property{Match: match, Enabled: true, Value: aep.Numbers(v), Dimensions: len(v)}
}

// shown is a layer of an item at a scale, in per cent.
func shown(id, source uint32, percent float64, change func(l *aep.Layer)) *aep.Layer {
	l := &aep.Layer{ID: id, Source: source, Out: 4, Stretch: 100, Enabled: true, EffectsEnabled: true, Quality: 2, Blend: aep.BlendNormal,
		Props: group("layer", group("ADBE Transform Group", number("ADBE Scale", percent, percent)))}
	if change != nil {
		change(l)
	}
	return l
}

func TestHowLargeAFileIsSeenIsKnown(t *testing.T) {
	const file, inner = 3, 2
	collapsed := func(l *aep.Layer) { l.Collapse = true }
	for _, c := range []struct {
		name        string
		outer, with []*aep.Layer // the layers of the composition, and of the one that it may show
		want        float64
	}{
		{"as it is", []*aep.Layer{shown(1, file, 100, nil)}, nil, 1},
		{"small", []*aep.Layer{shown(1, file, 30, nil)}, nil, 0.3},
		{"twice", []*aep.Layer{shown(1, file, 30, nil), shown(2, file, 40, nil)}, nil, 0.4},
		{"a large one that is off", []*aep.Layer{shown(1, file, 30, nil), shown(2, file, 100, func(l *aep.Layer) { l.Enabled = false })}, nil, 0.3},
		{"a track matte that is off", []*aep.Layer{
			shown(1, file, 30, func(l *aep.Layer) { l.Matte, l.MatteLayer = aep.MatteLuma, 2 }), shown(2, file, 70, func(l *aep.Layer) { l.Enabled = false }),
		}, nil, 0.7},
		{"within a composition", []*aep.Layer{shown(1, inner, 100, nil)}, []*aep.Layer{shown(1, file, 30, nil)}, 0.3},
		{"within a small composition, which is drawn at a half", []*aep.Layer{shown(1, inner, 40, nil)}, []*aep.Layer{shown(1, file, 60, nil)}, 0.3},
		{"within a large composition, which is drawn at its size", []*aep.Layer{shown(1, inner, 300, nil)}, []*aep.Layer{shown(1, file, 30, nil)}, 0.3},
		{"within two", []*aep.Layer{shown(1, inner, 25, nil), shown(2, inner, 50, nil)}, []*aep.Layer{shown(1, file, 30, nil)}, 0.15},
		{"within a collapsed composition", []*aep.Layer{shown(1, inner, 300, collapsed)}, []*aep.Layer{shown(1, file, 30, nil)}, 0.9},
		{"in space", []*aep.Layer{shown(1, file, 30, func(l *aep.Layer) { l.ThreeD = true })}, nil, math.Inf(1)},
		{"within a composition in space", []*aep.Layer{shown(1, inner, 30, func(l *aep.Layer) { l.ThreeD = true })}, []*aep.Layer{shown(1, file, 30, nil)}, 0.3},
		{"within a composition that joins space", []*aep.Layer{shown(1, inner, 30, func(l *aep.Layer) { l.ThreeD, l.Collapse = true, true })},
			[]*aep.Layer{shown(1, file, 0, nil)}, math.Inf(1)},
		{"for the effect of another", []*aep.Layer{shown(1, file, 30, nil), shown(2, file, 30, func(l *aep.Layer) {
			matte := number("ADBE Set Matte3-0001", 0)
			matte.LayerRef = 1
			l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Set Matte3", matte)))
		})}, nil, math.Inf(1)},
		{"nowhere", []*aep.Layer{shown(1, 4, 30, nil)}, nil, math.Inf(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			comp := func(id uint32, layers []*aep.Layer) *aep.Item {
				return &aep.Item{ID: id, Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 100, Height: 100, FrameRate: 10, Duration: 4, Layers: layers}}
			}
			film := func(id uint32) *aep.Item {
				return &aep.Item{ID: id, Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageFile, Width: 100, Height: 100, HasVideo: true, Duration: 4, FrameRate: 10}}
			}
			p := &aep.Project{Items: []*aep.Item{comp(1, c.outer), comp(inner, c.with), film(file), film(4)}}
			if got := scene.Compile(p, p.Items[0]).Largest(p.Items[2]); got != c.want && !(math.Abs(got-c.want) < 1e-12) {
				t.Errorf("it is seen %g times as large as it is at most, want %g", got, c.want)
			}
		})
	}
}
