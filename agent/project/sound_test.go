package project

import (
	"testing"

	"overcrank/aep"
)

func TestCompositionsWithSoundAreKnown(t *testing.T) {
	comp := func(id uint32, name string, layers ...*aep.Layer) *aep.Item {
		return &aep.Item{ID: id, Name: name, Kind: aep.ItemComposition, Comp: &aep.Composition{Layers: layers}}
	}
	layer := func(source uint32, on bool) *aep.Layer { return &aep.Layer{Source: source, AudioEnabled: on} }
	file := &aep.Project{Items: []*aep.Item{
		{ID: 1, Name: "music", Kind: aep.ItemFootage, Footage: &aep.Footage{HasAudio: true}},
		{ID: 2, Name: "picture", Kind: aep.ItemFootage, Footage: &aep.Footage{HasVideo: true}},
		comp(3, "heard", layer(2, true), layer(1, true)),
		comp(4, "switched off", layer(1, false), layer(2, true)),
		comp(5, "within", layer(3, true)),
		comp(6, "within, switched off", layer(3, false)),
		comp(7, "within itself", layer(7, true)),
		comp(8, "silent"),
	}}
	for name, want := range map[string]bool{
		"heard": true, "switched off": false, "within": true, "within, switched off": false, "within itself": false, "silent": false, "not there": false,
	} {
		if got := (&Project{file: file, Composition: name}).Sounds(); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
