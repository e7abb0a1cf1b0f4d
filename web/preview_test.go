package web

import (
	"context"
	"slices"
	"testing"

	"overcrank/farm"
	"overcrank/web/language"
)

func TestNotesOnAPreviewAreSaidInTheLanguageOfTheirReader(t *testing.T) {
	t.Parallel()
	notes := []string{
		"layer 'Title' in composition 'Main': effect 'Glow' is not drawn by the embedded engine", "font 'Brand Sans' is not there; a similar one stands in for it", "(3 more)",
	}
	german := []string{
		"Ebene „Title“ in der Komposition „Main“: von der eingebauten Engine nicht gezeichnet: Effekt „Glow“", "Die Schrift „Brand Sans“ ist nicht da; eine ähnliche vertritt sie", "(3 weitere)",
	}
	if got := toldNotes(language.With(context.Background(), farm.Language("de")), notes); !slices.Equal(got, german) {
		t.Errorf("in German notes are %q", got)
	}
	if got := toldNotes(context.Background(), notes); got[2] != notes[2] {
		t.Errorf("in English notes are %q", got)
	}
}
