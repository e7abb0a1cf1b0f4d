package aerender

import (
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
)

// essential is a composition that shows a white card twice, side by side: as it is, and with an opacity of its own.
func essential() *aep.Project {
	const field = "11111111-0000-4000-8000-000000000001"
	card := &aep.Composition{Width: 80, Height: 90, PixelAspect: 1, FrameRate: rate, FrameTicks: 1024, TicksPerSecond: 1024 * rate, Duration: seconds,
		WorkAreaDuration: seconds, Layers: []*aep.Layer{layer(20, "white", 3, group("ADBE Transform Group", still("ADBE Opacity", 100)))},
		Controllers: []aep.Controller{{ID: field, Name: "Fading", Type: 2, Value: 100.0, Max: 100, Comp: 2, Layer: 20,
			Path: []string{"ADBE Transform Group", "ADBE Opacity"}}}}
	set := still("ADBE Opacity", 25)
	set.Field = field
	main := &aep.Composition{Width: width, Height: height, PixelAspect: 1, FrameRate: rate, FrameTicks: 1024, TicksPerSecond: 1024 * rate,
		Duration: seconds, WorkAreaDuration: seconds, Layers: []*aep.Layer{
			layer(10, "left", 2, group("ADBE Transform Group", still("ADBE Position", 40, 45, 0))),
			layer(11, "right", 2, group("ADBE Layer Overrides", set), group("ADBE Transform Group", still("ADBE Position", 120, 45, 0))),
		}}
	return &aep.Project{Version: aep.Version{Major: 24, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: []*aep.Item{
		{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: main}, {ID: 2, Name: "card", Kind: aep.ItemComposition, Comp: card},
		solid(3, "white", 80, 90, 1, 1, 1)}}
}

func TestLayersAreDrawnWithTheirOwnEssentialProperties(t *testing.T) {
	project := lay(t, essential())
	cases := map[string]struct {
		script      string
		left, right int
	}{
		"as saved":                  {"", 255, 64},
		"a script changes the card": {`app.project.item(2).layer(1).opacity.setValue(60)`, 153, 64},
		"a script sets the other":   {`app.project.item(1).layer(1).essentialProperty.property("Fading").setValue(80)`, 204, 64},
		"a script sets the one":     {`app.project.item(1).layer(2).essentialProperty.property("Fading").setValue(40)`, 255, 102},
		"a script reads the one":    {`if (app.project.item(1).layer(2).essentialProperty("Fading").value != 25) throw "not read"`, 255, 64},
		"an expression reads it":    {`app.project.item(1).layer(1).opacity.expression = 'thisComp.layer("right").essentialProperty("Fading")'`, 64, 64},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			output := filepath.Join(t.TempDir(), "frame.png")
			args := []string{"-project", project, "-comp", "main", "-output", output, "-stills", "3", "-OMtemplate", "image_png"}
			if c.script != "" {
				args = append(args, "-r", put(t, filepath.Join(filepath.Dir(project), strings.ReplaceAll(name, " ", "-")+".jsx"), c.script))
			}
			code, out := start(t, t.Context(), args...)
			if code != 0 || strings.Contains(out, "WARNING") {
				t.Fatalf("exit code %d: %s", code, out)
			}
			for x, want := range map[int]int{40: c.left, 120: c.right} {
				if got := int(colorAt(t, output, x, 45).A); got < want-1 || got > want+1 {
					t.Errorf("at %d the picture has an alpha of %d, want %d", x, got, want)
				}
			}
		})
	}
}
