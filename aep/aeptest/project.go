package aeptest

import (
	"bytes"
	"testing"

	"overcrank/aep"
)

// BareProject is a file of a project whose composition “main” shows a picture, nm.png, that does not come with it.
func BareProject(t testing.TB) []byte {
	t.Helper()
	comp := &aep.Composition{
		Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 2, WorkAreaDuration: 2,
		Layers: []*aep.Layer{{ID: 10, Name: "Logo", Kind: aep.LayerAV, Source: 2, Out: 2, Stretch: 100, Enabled: true,
			Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true}}},
	}
	var b bytes.Buffer
	if err := aep.Write(&b, &aep.Project{
		Version: aep.Version{Major: 24, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8,
		Items: []*aep.Item{
			{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: comp},
			{ID: 2, Name: "nm.png", Kind: aep.ItemFootage, Footage: &aep.Footage{
				Kind: aep.FootageFile, Width: 64, Height: 48, HasVideo: true, PixelAspect: 1, Still: true,
				File: aep.FileReference{FullPath: `C:\Work\nm.png`, Platform: "windows", AscendBase: 1, AscendTarget: 1},
			}},
		},
	}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
