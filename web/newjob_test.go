package web

import (
	"encoding/json"
	"reflect"
	"testing"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/web/page"
)

func TestFieldsAreTheTextAndMediaLayersOfACompositionAndThoseWithin(t *testing.T) {
	sum := &aep.Summary{Compositions: []aep.CompositionSummary{
		{ID: 1, Name: "main", Root: true, Layers: []aep.LayerSummary{
			{Name: "title", Type: "text", Text: "One\rTwo", Expression: true},
			{Name: "inner", Type: "av", SourceType: "comp", SourceComp: 2},
			{Name: "colour", Type: "av", SourceType: "solid"},
			{Name: "inner again", Type: "av", SourceType: "comp", SourceComp: 2},
		}},
		{ID: 2, Name: "inner", Layers: []aep.LayerSummary{
			{Name: "picture", Type: "av", SourceType: "file", Media: "image", SourceName: "a.png"},
			{Name: "music", Type: "av", SourceType: "file", Media: "audio", SourceName: "m.wav"},
			{Name: "loop", Type: "av", SourceType: "comp", SourceComp: 1},
		}},
	}}
	got := fields(sum, sum.Compositions[0])
	want := []page.Field{
		{Key: "field0", Layer: "title", Kind: "text", Value: "One\nTwo", Lines: 2, Note: got[0].Note},
		{Key: "field1", Layer: "picture", Kind: "image", Value: "a.png"},
		{Key: "field2", Layer: "music", Kind: "audio", Value: "m.wav"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("field %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
	if got[0].Note == "" {
		t.Error("nothing tells that an expression writes the words")
	}
}

func TestOnlyWhatWasChangedBecomesAnAsset(t *testing.T) {
	text := page.Field{Layer: "title", Kind: "text", Value: "as it is"}
	if _, changed, err := assetOf(text, "as it is"); changed || err != nil {
		t.Errorf("unchanged words became an asset (%v)", err)
	}
	a, changed, err := assetOf(text, `say "hi"`)
	var words string
	if err != nil || !changed || json.Unmarshal(a.Value, &words) != nil || words != `say "hi"` || a.Type != "text" || a.LayerName != "title" {
		t.Errorf("changed words became %+v, %v, %v", a, changed, err)
	}
	image := page.Field{Layer: "picture", Kind: "image"}
	if _, changed, _ := assetOf(image, ""); changed {
		t.Error("a picture that was not given became an asset")
	}
	if a, changed, _ := assetOf(image, "farm://abc"); !changed || a.Src != "farm://abc" {
		t.Errorf("a given picture became %+v", a)
	}
}

func TestOrderingAgainStartsFromTheEarlierJob(t *testing.T) {
	all := []page.Field{{Layer: "title", Kind: "text", Value: "project"}, {Layer: "picture", Kind: "image"}}
	left := fillIn(all, []farm.Asset{
		{Type: "text", LayerName: "title", Value: json.RawMessage(`"earlier"`)},
		{Type: "image", LayerName: "picture", Src: "farm://abc"},
		{Type: "function", Name: "nx:solid-color-set"},
		{Type: "data", LayerName: "title", Property: "Position", Value: json.RawMessage(`[1,2]`)},
	})
	if all[0].Value != "earlier" || all[1].Src != "farm://abc" {
		t.Errorf("got %+v", all)
	}
	if len(left) != 2 || left[0].Name != "nx:solid-color-set" || left[1].Property != "Position" {
		t.Errorf("left out: %+v", left)
	}
}
