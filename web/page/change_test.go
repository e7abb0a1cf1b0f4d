package page

import (
	"testing"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/web/language"
)

func TestChangesOfATemplateAreSaidInTheReadersLanguage(t *testing.T) {
	for _, c := range []struct {
		of              aep.Change
		english, german string
	}{
		{aep.Change{Kind: "font", Name: "Inter-Bold", How: aep.Added}, "Added: font “Inter-Bold”", "Hinzugekommen: Schrift „Inter-Bold“"},
		{aep.Change{Kind: "composition", Name: "old", How: aep.Removed}, "Removed: composition “old”", "Entfallen: Komposition „old“"},
		{aep.Change{Kind: "layer", In: "main", Name: "Title", How: aep.Changed, What: aep.TraitText}, "Changed: layer “Title” in “main”, other words", "Geändert: Ebene „Title“ in „main“, andere Wörter"},
		{aep.Change{Kind: "layer", In: "main", Name: "Logo", How: aep.Changed, What: aep.TraitSource, Was: "b.png", Now: "c.png"}, "Changed: layer “Logo” in “main”, c.png instead of b.png", "Geändert: Ebene „Logo“ in „main“, c.png statt b.png"},
		{aep.Change{Kind: "composition", Name: "main", How: aep.Changed, What: aep.TraitSize, Was: "1920 × 1080", Now: "1080 × 1920"}, "Changed: composition “main”, 1080 × 1920 instead of 1920 × 1080 pixels", "Geändert: Komposition „main“, 1080 × 1920 statt 1920 × 1080 Pixel"},
		{aep.Change{Kind: "footage", Name: "a.png", How: aep.Changed, What: aep.TraitLeft}, "Changed: footage “a.png”, no longer comes with the template", "Geändert: Footage „a.png“, kommt nicht mehr mit der Vorlage"},
	} {
		if got := changeSaid(t.Context(), c.of); got != c.english {
			t.Errorf("%+v is %q, want %q", c.of, got, c.english)
		}
		if got := changeSaid(language.With(t.Context(), farm.German), c.of); got != c.german {
			t.Errorf("%+v is %q in German, want %q", c.of, got, c.german)
		}
	}
}
