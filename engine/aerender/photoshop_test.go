package aerender

import (
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"overcrank/aep"
)

// A Photoshop file imported as a composition is a layer of footage for each of its layers, all of one file.
func TestACompositionOfAPhotoshopFileShowsItsLayers(t *testing.T) {
	part := func(id uint32, name string, number, w, h int) *aep.Item {
		return file(id, "poster.psd", aep.Footage{Layer: name, LayerNumber: number, Width: w, Height: h, HasVideo: true, Still: true, Format: "8BPS"})
	}
	p := sample()
	comp := p.Items[0].Comp
	comp.Width, comp.Height, comp.Background = 40, 30, [3]float64{}
	comp.Layers = []*aep.Layer{
		layer(1, "badge", 11, group("ADBE Transform Group", still("ADBE Position", 11, 12, 0))), // as large as the layer
		layer(2, "ground", 12, group("ADBE Transform Group", still("ADBE Position", 20, 15, 0))),
	}
	p.Items = []*aep.Item{p.Items[0], part(11, "badge ✓", 2, 12, 10), part(12, "ground", 0, 40, 30)}
	project := lay(t, p)
	psd, err := os.ReadFile(filepath.Join("..", "footage", "photoshop", "testdata", "layered.psd"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(filepath.Dir(project), "(Footage)", "poster.psd"), string(psd))
	out := filepath.Join(t.TempDir(), "frame.png")
	if code, said := start(t, t.Context(), "-project", project, "-comp", "main", "-output", out, "-stills", "0"); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	for at, want := range map[[2]int]color.NRGBA{
		{30, 20}: {180, 160, 100, 255}, // the ground alone
		{7, 9}:   {21, 164, 50, 255},   // half of the badge on it
		{13, 9}:  {78, 72, 100, 255},   // what the badge's mask hides
	} {
		got := colorAt(t, out, at[0], at[1])
		for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
			if d < -2 || d > 2 {
				t.Errorf("at %v: %v, want %v", at, got, want)
				break
			}
		}
	}
}
