package aep_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"overcrank/aep"
)

func TestCompletingTwiceChangesNothing(t *testing.T) {
	dir, files := sampleFiles(t, ".aep", ".aet")
	for _, f := range files {
		once, twice := openSample(t, f), openSample(t, f)
		aep.Complete(once)
		aep.Complete(twice)
		aep.Complete(twice)
		if !reflect.DeepEqual(once.Items, twice.Items) {
			t.Errorf("%s differs", filepath.Join(dir, f))
		}
	}
}

func TestCompletedLayersHaveTheirGroupsInOrder(t *testing.T) {
	comp := &aep.Composition{Width: 640, Height: 360, TicksPerSecond: 30720, FrameTicks: 1024}
	solid := &aep.Item{ID: 2, Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageSolid, Width: 100, Height: 50}}
	p := &aep.Project{Items: []*aep.Item{{ID: 1, Kind: aep.ItemComposition, Comp: comp}, solid}}
	for name, c := range map[string]struct {
		layer  *aep.Layer
		groups []string
		anchor aep.Numbers
	}{
		"solid":  {&aep.Layer{Source: 2}, []string{"Masks", "Effects", "Transform", "Layer Styles", "Material Options", "Audio"}, aep.Numbers{50, 25, 0}},
		"text":   {&aep.Layer{Kind: aep.LayerText}, []string{"Text", "Masks", "Effects", "Transform", "Layer Styles", "Material Options", "Audio"}, aep.Numbers{0, 0, 0}},
		"shape":  {&aep.Layer{Kind: aep.LayerShape}, []string{"Contents", "Masks", "Effects", "Transform", "Layer Styles", "Material Options", "Audio"}, aep.Numbers{0, 0, 0}},
		"camera": {&aep.Layer{Kind: aep.LayerCamera}, []string{"Transform", "Camera Options"}, aep.Numbers{320, 180, 0}},
	} {
		aep.CompleteLayer(p, comp, c.layer)
		var groups []string
		for _, g := range c.layer.Props.Children {
			groups = append(groups, g.Name)
		}
		if !reflect.DeepEqual(groups, c.groups) {
			t.Errorf("%s: groups %q, want %q", name, groups, c.groups)
		}
		tr := c.layer.Props.Child("transform")
		if got := tr.Child("ADBE Anchor Point").Value; !reflect.DeepEqual(got, c.anchor) {
			t.Errorf("%s: anchor %v, want %v", name, got, c.anchor)
		}
		want := aep.Numbers{320, 180, 0}
		if name == "camera" {
			want[2] = -640 * 50.0 / 36
		}
		if got := tr.Child("Position").Value; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: position %v", name, got)
		}
		if !tr.Child("X Rotation").Hidden && c.layer.Kind != aep.LayerCamera {
			t.Errorf("%s: a flat layer shows the third dimension", name)
		}
	}
}

func TestNullsAreBornTransparent(t *testing.T) {
	comp := &aep.Composition{Width: 10, Height: 10}
	l := &aep.Layer{Null: true}
	aep.CompleteLayer(&aep.Project{}, comp, l)
	if got := l.Props.Find("Transform", "Opacity").Float(-1); got != 0 {
		t.Errorf("opacity %g", got)
	}
}
