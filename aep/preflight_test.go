package aep_test

import (
	"testing"

	"overcrank/aep"
)

func TestFontsThatAreThereAreTakenOutOfAPreflight(t *testing.T) {
	t.Parallel()
	font := func(name string) aep.Finding {
		return aep.Finding{Kind: aep.FontFinding, Layer: "title", What: name, Detail: true}
	}
	effect := aep.Finding{Kind: aep.FeatureFinding, What: "effect 'Glow'"}
	p := &aep.Preflight{Compositions: []aep.Forecast{
		{ID: 1, Verdict: aep.DrawsNearly, Findings: []aep.Finding{font("A")}},
		{ID: 2, Verdict: aep.DrawsNearly, Findings: []aep.Finding{font("A"), font("B")}},
		{ID: 3, Verdict: aep.DrawsNot, Findings: []aep.Finding{effect, font("A")}},
		{ID: 4, Verdict: aep.DrawsNearly, Findings: []aep.Finding{font("A")}, More: 1},
	}}
	got := p.WithFonts(func(name string) bool { return name == "A" })
	for i, want := range []aep.Verdict{aep.DrawsExactly, aep.DrawsNearly, aep.DrawsNot, aep.DrawsNearly} {
		if c := got.Compositions[i]; c.Verdict != want || len(c.Findings) != len(p.Compositions[i].Findings)-1 {
			t.Errorf("composition %d: %+v", c.ID, c)
		}
	}
	if names := got.Fonts(); len(names) != 1 || names[0] != "B" || len(p.Fonts()) != 2 {
		t.Errorf("fonts %v of %v", names, p.Fonts())
	}
	if got.Of(2) == nil || got.Of(9) != nil || (*aep.Preflight)(nil).Of(1) != nil {
		t.Error("a composition is not found by its id")
	}
}

func TestFindingsAreSaidPlainly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		finding      aep.Finding
		words, where string
	}{
		{aep.Finding{Kind: aep.FeatureFinding, Composition: "main", Layer: "card", What: "effect 'Glow'"}, "effect 'Glow' is not drawn", "layer 'card'"},
		{aep.Finding{Kind: aep.FeatureFinding, Composition: "main", What: "the project's 32 bits per channel are drawn with 8"}, "the project's 32 bits per channel are drawn with 8", ""},
		{aep.Finding{Kind: aep.FontFinding, Composition: "inner", Layer: "title", What: "A-Bold"}, "font 'A-Bold' is not there; a similar one stands in for it", "layer 'title' of composition 'inner'"},
		{aep.Finding{Kind: aep.FootageFinding, Composition: "inner", What: "a.png"}, "file 'a.png' is missing", "composition 'inner'"},
		{aep.Finding{Kind: aep.ExpressionFinding, Composition: "main", Layer: "card", What: "the expression of 'Opacity': x"}, "the expression of 'Opacity': x", "layer 'card'"},
	} {
		if words, where := test.finding.Words(), test.finding.Where("main"); words != test.words || where != test.where {
			t.Errorf("%+v is said as %q, in %q", test.finding, words, where)
		}
	}
}

func TestForecastsAreSaidInAFewWords(t *testing.T) {
	t.Parallel()
	glow := aep.Finding{Kind: aep.FeatureFinding, Layer: "card", What: "effect 'Glow'"}
	file := aep.Finding{Kind: aep.FootageFinding, What: "a.png"}
	script := aep.Finding{Kind: aep.ExpressionFinding, What: "the expression of 'Opacity': it's wrong"}
	font := aep.Finding{Kind: aep.FontFinding, What: "A-Bold", Detail: true}
	for _, test := range []struct {
		forecast aep.Forecast
		want     string
	}{
		{aep.Forecast{Verdict: aep.DrawsExactly}, "Draws exactly"},
		{aep.Forecast{Verdict: aep.DrawsNearly, Findings: []aep.Finding{font}}, "Draws nearly: 1 thing differs"},
		{aep.Forecast{Verdict: aep.DrawsNearly, Findings: []aep.Finding{font}, More: 4}, "Draws nearly: 5 things differ"},
		{aep.Forecast{Verdict: aep.DrawsNot, Findings: []aep.Finding{script}}, "Cannot draw: the expression of 'Opacity'"},
		{aep.Forecast{Verdict: aep.DrawsNot, Findings: []aep.Finding{glow, file}}, "Cannot draw: effect 'Glow' and file 'a.png'"},
		{aep.Forecast{Verdict: aep.DrawsNot, Findings: []aep.Finding{glow, file, font}, More: 1}, "Cannot draw: effect 'Glow', file 'a.png' and 2 more"},
		{aep.Forecast{Verdict: aep.DrawsNot, Findings: []aep.Finding{glow, font}}, "Cannot draw: effect 'Glow' and 1 more"},
		{aep.Forecast{Verdict: aep.DrawsNot, More: 9}, "Cannot draw: 9 things"},
	} {
		if got := test.forecast.Words(); got != test.want {
			t.Errorf("%+v is said as %q", test.forecast, got)
		}
	}
}
