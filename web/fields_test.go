package web

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/web/page"
)

func ends(least, most float64) (*float64, *float64) { return &least, &most }

// titles is a composition with a panel, whose first field drives the words of its one text layer.
func titles() *aep.Summary {
	least, most := ends(0, 100)
	return &aep.Summary{Compositions: []aep.CompositionSummary{{ID: 1, Name: "main", Root: true,
		Layers: []aep.LayerSummary{
			{ID: 5, Name: "Headline", Type: "text", Text: "Spring"},
			{ID: 6, Name: "Byline", Type: "text", Text: "by ada"},
			{ID: 7, Name: "Steering", Type: "null", Controls: []aep.ControlSummary{{Name: "Speed", Property: "Effects->Speed->ADBE Slider Control-0001", Type: "slider", Value: 4.0}}},
		},
		Essential: []aep.EssentialSummary{
			{Name: "Title", Type: "text", Value: "Spring", Comp: 1, Layer: 5, Words: true},
			{Name: "Size", Type: "slider", Group: "Look", Value: 50.0, Min: least, Max: most},
			{Name: "Tint", Type: "color", Group: "Look", Value: []any{1.0, 0.5, 0.0, 1.0}},
			{Name: "Shadow", Type: "checkbox", Group: "Look", Value: true},
			{Name: "Style", Type: "dropdown", Value: 2.0, Options: []string{"Plain", "Bold"}},
			{Name: "Turn", Type: "angle", Value: 90.0},
			{Name: "Place", Type: "point", Value: []any{540.0, 20.5}},
			{Name: "Photo", Type: "media"},
			{Name: "Unknown", Type: "other", Value: 1.0},
		}}}}
}

func TestThePanelComesFirstAndWhatItDrivesIsNotOfferedTwice(t *testing.T) {
	sum := titles()
	var got []string
	for _, f := range fields(sum, sum.Compositions[0]) {
		got = append(got, strings.Join([]string{f.Group, f.Layer, f.Kind, f.Value}, "|"))
	}
	want := []string{"|Title|text|Spring", "Look|Size|number|50", "Look|Tint|colour|#ff8000", "Look|Shadow|switch|1", "|Style|choice|2",
		"|Turn|angle|90", "|Place|point|540 20.5", "|Photo|media|as the template has it", "|Byline|text|by ada"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the fields are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	sum.Compositions[0].Essential = nil
	all := fields(sum, sum.Compositions[0])
	if last := all[len(all)-1]; last.Title() != "Speed" || last.Property == "" || last.Kind != page.FieldNumber || last.Group != "Steering" {
		t.Errorf("without a panel the last field is %+v", last)
	}
}

func TestEveryKindOfFieldBecomesWhatTheInterfaceTakes(t *testing.T) {
	sum := titles()
	all := fields(sum, sum.Compositions[0])
	byName := map[string]page.Field{}
	for _, f := range all {
		byName[f.Layer] = f
	}
	for name, c := range map[string]struct{ typed, value string }{
		"Title": {"Summer", `"Summer"`}, "Size": {"12.5", "12.5"}, "Tint": {"#00ff00", "[0,1,0]"}, "Shadow": {"", "false"}, "Style": {"1", "1"},
		"Turn": {"-45", "-45"}, "Place": {"1 2", "[1,2]"}, "Photo": {"farm://abc", `"farm://abc"`},
	} {
		a, changed, err := assetOf(byName[name], c.typed)
		if err != nil || !changed || string(a.Value) != c.value || a.Type != "essential" || a.LayerName != name || a.Composition != "main" {
			t.Errorf("%s typed as %q became %+v, %v, %v", name, c.typed, a, changed, err)
		}
		again := []page.Field{byName[name]}
		if name != "Photo" {
			if left := fillIn(again, []farm.Asset{a}); len(left) != 0 || again[0].Value != c.typed {
				t.Errorf("%s submitted again shows %+v, want %+v; left over is %+v", name, again[0].Value, c.typed, left)
			}
		}
	}
	for name, typed := range map[string]string{"Size": "101", "Tint": "red", "Style": "3", "Turn": "NaN", "Place": "1"} {
		if _, _, err := assetOf(byName[name], typed); err == nil {
			t.Errorf("%s takes %q", name, typed)
		}
	}
	for name, f := range byName {
		if f.TakesFile() {
			continue
		}
		if _, changed, err := assetOf(f, f.Value); changed || err != nil {
			t.Errorf("%s as it is in the template is a change: %v", name, err)
		}
	}
	if shown, ok := valueGiven(byName["Place"], json.RawMessage(`"somewhere"`)); ok {
		t.Errorf("words for a point are shown as %q", shown)
	}
}
