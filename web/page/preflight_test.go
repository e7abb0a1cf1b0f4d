package page

import (
	"context"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/web/language"
)

// straight has the quotation marks of pages as the command line and the interfaces write them.
var straight = strings.NewReplacer("“", "'", "”", "'")

func TestWhatCannotBeDrawnIsSaidInTheLanguageOfTheReader(t *testing.T) {
	t.Parallel()
	finding := func(what string) aep.Finding {
		return aep.Finding{Kind: aep.FeatureFinding, Composition: "main", Layer: "card", What: what}
	}
	glow, vector, mask := finding("effect 'Glow'"), finding("the vector file 'a.eps'"), finding("a mask of effect 'Blur'")
	detail := mask
	detail.Detail = true
	for _, c := range []struct {
		f      aep.Forecast
		german string
	}{
		{aep.Forecast{Verdict: aep.DrawsNot, Findings: []aep.Finding{glow}}, "Nicht zeichenbar: Effekt „Glow“"},
		{aep.Forecast{Verdict: aep.DrawsNot, Findings: []aep.Finding{glow, vector}}, "Nicht zeichenbar: Effekt „Glow“ und die Vektordatei „a.eps“"},
		{aep.Forecast{Verdict: aep.DrawsNot, Findings: []aep.Finding{glow, vector, mask}, More: 1}, "Nicht zeichenbar: Effekt „Glow“, die Vektordatei „a.eps“ und 2 weitere"},
		{aep.Forecast{Verdict: aep.DrawsNot, Findings: []aep.Finding{detail, detail}}, "Nicht zeichenbar: 2 Dinge"},
		{aep.Forecast{Verdict: aep.DrawsNearly, Findings: []aep.Finding{detail}}, "Zeichnet annähernd: 1 Abweichung"},
		{aep.Forecast{Verdict: aep.DrawsExactly}, "Zeichnet genau"},
	} {
		if got, want := forecastWords(context.Background(), c.f), c.f.Words(); straight.Replace(got) != want {
			t.Errorf("in English it is %q on the page, and %q elsewhere", got, want)
		}
		if got := forecastWords(language.With(context.Background(), farm.German), c.f); got != c.german {
			t.Errorf("in German it is %q, want %q", got, c.german)
		}
	}
}

func TestWhatACompositionUsesIsSaidInTheLanguageOfTheReader(t *testing.T) {
	t.Parallel()
	list := []aep.Need{{Kind: aep.NeedEffect, Name: "Glow", Count: 3}, {Kind: aep.NeedLayer, Name: "3D layers", Count: 1}, {Kind: aep.NeedPicture, Name: "16 bits per channel"},
		{Kind: aep.NeedFootage, Name: "PNG", Count: 2}}
	for reads, want := range map[farm.Language]string{
		farm.English: "effect “Glow” × 3, 3D layers, 16 bits per channel, files of type “PNG” × 2",
		farm.German:  "Effekt „Glow“ × 3, 3D-Ebenen, 16 Bit pro Kanal, Dateien der Art „PNG“ × 2",
	} {
		if got := needsWords(language.With(context.Background(), reads), list); got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}

// TestTheNoteOnTheMarksLeadsSomewhereWithoutALeader: nobody can say then which machines could render a template, and the page says that.
func TestTheNoteOnTheMarksLeadsSomewhereWithoutALeader(t *testing.T) {
	t.Parallel()
	v := Template{
		Template:  farm.Template{ID: "a", File: &farm.FileRef{}},
		Summary:   &aep.Summary{},
		Preflight: &aep.Preflight{Compositions: []aep.Forecast{{Composition: "Main"}}},
	}
	var page strings.Builder
	if err := TemplatePage(Shell{}, v, Able{}, Usage{}, Comparison{}).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`href="#able"`, `id="able"`, "The farm has no leader at the moment."} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
