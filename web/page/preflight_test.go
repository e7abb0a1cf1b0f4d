package page

import (
	"context"
	"testing"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/web/language"
)

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
		if got, want := forecastWords(context.Background(), c.f), c.f.Words(); got != want {
			t.Errorf("in English it is %q on the page, and %q elsewhere", got, want)
		}
		if got := forecastWords(language.With(context.Background(), farm.German), c.f); got != c.german {
			t.Errorf("in German it is %q, want %q", got, c.german)
		}
	}
}
