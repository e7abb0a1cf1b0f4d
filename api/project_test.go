package api_test

import (
	"bytes"
	"fmt"
	"testing"

	"overcrank/aep"
)

// project is a project file of one composition, "main", of 4 seconds, with so many layers that are called "layer 0" and on.
func project(t testing.TB, layers int) []byte {
	t.Helper()
	main := &aep.Item{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{
		Width: 1920, Height: 1080, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 4, WorkAreaDuration: 4,
	}}
	for i := range layers {
		main.Comp.Layers = append(main.Comp.Layers, &aep.Layer{
			ID: uint32(100 + i), Name: fmt.Sprintf("layer %d", i), Kind: aep.LayerAV, Stretch: 100, Out: 4, Enabled: true,
			Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true},
		})
	}
	var file bytes.Buffer
	err := aep.Write(&file, &aep.Project{
		Version: aep.Version{Major: 24, Minor: 1, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: []*aep.Item{main},
	})
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
