package text

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
)

// TestAdvancesAreAfterEffects compares with the advances and the ascent that After Effects itself wrote into the exports
// of projects set in Helvetica, which Liberation Sans has the measures of.
func TestAdvancesAreAfterEffects(t *testing.T) {
	b, err := OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	if b.machine().nearest("liberationsans", look{weight: 400}) == nil {
		t.Skip("Liberation Sans is not installed")
	}
	folder := aeptest.Samples(t, "_oracle/lottie/airbnb+lottie-android/snapshot-tests/src/main/assets/Tests")
	compared := 0
	for _, name := range []string{"BoxPosition.json", "Multiline.json"} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		var export struct {
			Fonts struct{ List []struct{ Ascent float64 } }
			Chars []struct {
				Ch string
				W  float64
			}
		}
		if err := json.Unmarshal(raw, &export); err != nil {
			t.Fatal(err)
		}
		l := set(t, b, plain("d", func(s style, _ para, _ doc) { s.Font = "Helvetica" }))
		near(t, "ascent", l.Lines[0].Ascent, export.Fonts.List[0].Ascent, 0.75) // the height of "d", which differs a little between the two
		for _, c := range export.Chars {
			if c.W == 0 || c.Ch == "1" { // "1" was measured before "2", with the kerning of that pair
				continue
			}
			got := set(t, b, plain(c.Ch, func(s style, _ para, _ doc) { s.Font = "Helvetica" })).Lines[0].Width
			if math.Abs(got-c.W) > 0.1 {
				t.Errorf("%s: %q is %.2f wide, After Effects says %.2f", name, c.Ch, got, c.W)
			}
			compared++
		}
	}
	if compared < 15 {
		t.Errorf("only %d characters were compared", compared)
	}
	t.Logf("compared %d characters", compared)
}

// TestBoxesOfTheSamplesHoldTheirLines sets the boxes of a real project and checks what their author saw: three lines, the
// first by its ascent below the top, the next by the leading.
func TestBoxesOfTheSamplesHoldTheirLines(t *testing.T) {
	path := aeptest.Samples(t, "airbnb+lottie-android", "After Effects Samples", "Multiline.aep")
	p, err := aep.Open(t.Context(), path, aep.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	boxes := 0
	for _, it := range p.Items {
		if it.Comp == nil {
			continue
		}
		for _, l := range it.Comp.Layers {
			prop := l.Props.Find("ADBE Text Properties", "ADBE Text Document")
			if prop == nil {
				continue
			}
			doc, ok := prop.Value.(*aep.TextDocument)
			if !ok || !doc.Box || doc.Style().AutoLeading {
				continue
			}
			boxes++
			out := set(t, b, doc)
			if len(out.Lines) == 0 {
				t.Errorf("layer %q: no lines", l.Name)
				continue
			}
			near(t, "first baseline", out.Lines[0].Baseline, doc.BoxPos[1]+out.Lines[0].Ascent, 0.01)
			for i := 1; i < len(out.Lines); i++ {
				near(t, "leading", out.Lines[i].Baseline-out.Lines[i-1].Baseline, doc.Style().Leading, 0.01)
			}
		}
	}
	if boxes < 3 {
		t.Errorf("only %d boxes were set", boxes)
	}
	t.Logf("set %d boxes", boxes)
}
