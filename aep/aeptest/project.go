package aeptest

import (
	"bytes"
	"testing"

	"overcrank/aep"
)

// BareProject is a file of a project whose composition “main” shows files that do not come with it: nm.png, unless others are named.
func BareProject(t testing.TB, files ...string) []byte {
	t.Helper()
	if len(files) == 0 {
		files = []string{"nm.png"}
	}
	comp := &aep.Composition{
		Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 2, WorkAreaDuration: 2,
	}
	items := []*aep.Item{{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: comp}}
	for i, file := range files {
		source, layer := uint32(2+i), "Logo"
		if i > 0 {
			layer = file
		}
		comp.Layers = append(comp.Layers, &aep.Layer{ID: uint32(1000 + i), Name: layer, Kind: aep.LayerAV, Source: source, Out: 2, Stretch: 100, Enabled: true,
			Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true}})
		items = append(items, &aep.Item{ID: source, Name: file, Kind: aep.ItemFootage, Footage: &aep.Footage{
			Kind: aep.FootageFile, Width: 64, Height: 48, HasVideo: true, PixelAspect: 1, Still: true,
			File: aep.FileReference{FullPath: `C:\Work\` + file, Platform: "windows", AscendBase: 1, AscendTarget: 1},
		}})
	}
	var b bytes.Buffer
	if err := aep.Write(&b, &aep.Project{
		Version: aep.Version{Major: 24, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: items,
	}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
