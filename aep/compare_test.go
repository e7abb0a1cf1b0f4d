package aep_test

import (
	"reflect"
	"testing"

	"overcrank/aep"
)

func TestWhatDiffersBetweenTwoFilesOfATemplate(t *testing.T) {
	before := &aep.Summary{
		Compositions: []aep.CompositionSummary{
			{Name: "main", Width: 1920, Height: 1080, Layers: []aep.LayerSummary{{Name: "Title", Type: "text", Text: "Spring"}, {Name: "Logo", Type: "av", SourceName: "a.png"}, {Name: "Logo", Type: "av", SourceName: "b.png"}}},
			{Name: "old"},
		},
		Fonts:   []aep.FontSummary{{PostScript: "Inter-Bold"}},
		Footage: []aep.FootageSummary{{Path: "a.png", Present: true}},
	}
	after := &aep.Summary{
		Compositions: []aep.CompositionSummary{{Name: "main", Width: 1080, Height: 1920,
			Layers:    []aep.LayerSummary{{Name: "Title", Type: "text", Text: "Summer"}, {Name: "Logo", Type: "av", SourceName: "a.png"}, {Name: "Logo", Type: "av", SourceName: "c.png"}},
			Essential: []aep.EssentialSummary{{Name: "Tint", Type: "color"}}}},
		Fonts:   []aep.FontSummary{{PostScript: "Inter-Regular"}},
		Footage: []aep.FootageSummary{{Path: "a.png"}},
	}
	want := []aep.Change{
		{Kind: "layer", In: "main", Name: "Title", How: aep.Changed, What: aep.TraitText},
		{Kind: "layer", In: "main", Name: "Logo (2)", How: aep.Changed, What: aep.TraitSource, Was: "b.png", Now: "c.png"},
		{Kind: "field", In: "main", Name: "Tint", How: aep.Added},
		{Kind: "composition", Name: "main", How: aep.Changed, What: aep.TraitSize, Was: "1920 × 1080", Now: "1080 × 1920"},
		{Kind: "composition", Name: "old", How: aep.Removed},
		{Kind: "font", Name: "Inter-Regular", How: aep.Added}, {Kind: "font", Name: "Inter-Bold", How: aep.Removed},
		{Kind: "footage", Name: "a.png", How: aep.Changed, What: aep.TraitLeft},
	}
	if got := aep.Compare(before, after); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if got := aep.Compare(before, before); len(got) != 0 {
		t.Errorf("the same differs in %+v", got)
	}
}
