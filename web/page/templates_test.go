package page

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"overcrank/aep"
	"overcrank/coordinator/dispatch"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// htmlOf is a component as it is sent.
func htmlOf(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestATemplateThatIsHeldUpSaysWhy(t *testing.T) {
	held := Template{Template: farm.Template{ID: "t1", DisplayName: "Spot", Status: farm.TemplateProcessing}, Waits: "It waits until there is room."}
	lacking := Template{Template: farm.Template{ID: "t2", DisplayName: "Bare", Status: farm.TemplateUploaded, MissingFootage: []string{"a.png", "b.png", "c.png", "d.png"}}}
	for name, c := range map[string]struct {
		drawn string
		says  []string
	}{
		"list": {htmlOf(t, TemplatesBody(Shell{}, []Template{held, lacking})), []string{"Held up", held.Waits, "Lacks footage", "a.png, b.png, c.png and 1 more"}},
		"page": {htmlOf(t, TemplateBody(Shell{}, held)), []string{"Held up", held.Waits}},
	} {
		for _, words := range c.says {
			if !strings.Contains(c.drawn, words) {
				t.Errorf("the %s does not say %q: %s", name, words, c.drawn)
			}
		}
		if strings.Contains(c.drawn, "Being read") || strings.Contains(c.drawn, "Ready") {
			t.Errorf("the %s says that all is well: %s", name, c.drawn)
		}
	}
}

func TestATemplateSaysWhatWouldBeDrawnOtherwise(t *testing.T) {
	comps := []aep.CompositionSummary{{ID: 1, Name: "main"}, {ID: 2, Name: "inner"}, {ID: 3, Name: "plain"}, {ID: 4, Name: "late"}}
	read := Template{Template: farm.Template{ID: "t1", Status: farm.TemplateUploaded}, Summary: &aep.Summary{
		Compositions: comps, Fonts: []aep.FontSummary{{PostScript: "Brand-Bold"}, {PostScript: "Inter-Bold"}}}}
	looked := read
	looked.Preflight = &aep.Preflight{Stopped: aep.StoppedByTime, Compositions: []aep.Forecast{
		{ID: 1, Verdict: aep.DrawsNot, More: 7, Findings: []aep.Finding{
			{Kind: aep.FeatureFinding, Composition: "inner", Layer: "<card>", What: "effect 'Glow'"},
			{Kind: aep.FontFinding, Composition: "main", Layer: "title", What: "Brand-Bold", Detail: true}}},
		{ID: 2, Verdict: aep.DrawsNearly, Findings: []aep.Finding{{Kind: aep.FeatureFinding, Composition: "inner", Layer: "a", What: "motion blur", Detail: true}}},
		{ID: 3, Verdict: aep.DrawsExactly},
	}}
	chosen := looked
	chosen.StandIns = StandInsOf([]farm.Font{{Faces: []farm.FontUse{{PostScript: "GoRegular", Family: "Go", Style: "Regular"}}}, {Faces: []farm.FontUse{{PostScript: "Other"}}, CopyOf: "GoRegular"}})
	artist, viewer := Shell{Reader: farm.Principal{Role: farm.RoleArtist}}, Shell{Reader: farm.Principal{Role: farm.RoleViewer}}
	for name, c := range map[string]struct {
		drawn       string
		says, lacks []string
	}{
		"looked at": {htmlOf(t, TemplateBody(artist, looked)), []string{
			"Cannot draw: effect “Glow” and 8 more", "layer “&lt;card&gt;” of composition “inner”", "effect “Glow” is not drawn", "and 7 more",
			"Draws nearly: 1 thing differs", "Draws exactly", "Not checked", "took too long", "neither in the library nor on any machine", `data-drop="font"`,
		}, []string{"an earlier release", "in place of"}},
		"with a library": {htmlOf(t, TemplateBody(artist, chosen)), []string{"Another font of the library, in place of Brand-Bold", `<option value="GoRegular">Go Regular</option>`},
			[]string{"in place of Inter-Bold", `<option value="Other">`}},
		"with a library for a viewer": {htmlOf(t, TemplateBody(viewer, chosen)), []string{"neither in the library nor on any machine"}, []string{"in place of"}},
		"looked at by a viewer":       {htmlOf(t, TemplateBody(viewer, looked)), []string{"neither in the library nor on any machine"}, []string{`data-drop="font"`}},
		"read by an earlier release": {htmlOf(t, TemplateBody(artist, read)), []string{"an earlier release read it", `href="#versions">New version</a>`},
			[]string{"Draws", "neither in the library", "Not checked"}},
	} {
		for _, words := range c.says {
			if !strings.Contains(c.drawn, words) {
				t.Errorf("%s: does not say %q", name, words)
			}
		}
		for _, words := range c.lacks {
			if strings.Contains(c.drawn, words) {
				t.Errorf("%s: says %q", name, words)
			}
		}
	}
}

func TestAListPlaysTheFirstCompositionThatHasFrames(t *testing.T) {
	spot := Template{
		Template: farm.Template{ID: "t1"},
		Summary:  &aep.Summary{Compositions: []aep.CompositionSummary{{ID: 1, Name: "part"}, {ID: 2, Name: "empty", Root: true}, {ID: 3, Name: "film", Root: true}}},
		Reels:    map[uint32]templates.Reel{1: {}, 2: {Why: "nothing in it is drawn"}, 3: {}},
	}
	if got := spot.FirstReel(); got != templateReel(spot.Template, 3) {
		t.Errorf("it plays %q, not the first that jobs render and that has frames", got)
	}
	delete(spot.Reels, 3)
	if got := spot.FirstReel(); got != templateReel(spot.Template, 1) {
		t.Errorf("it plays %q, not the only one that has frames", got)
	}
	if got := (Template{}).FirstReel(); got != "" {
		t.Errorf("a template that was not read plays %q", got)
	}
}

func TestATemplateThatCannotBeUsedSaysNothingOfHowItIsRendered(t *testing.T) {
	artist := Shell{Reader: farm.Principal{Role: farm.RoleArtist}}
	for status, want := range map[farm.TemplateStatus]bool{farm.TemplateUploaded: true, farm.TemplateError: false} {
		said := strings.Contains(htmlOf(t, TemplateBody(artist, Template{Template: farm.Template{ID: "t1", Status: status}})), "Several machines may share a film")
		if said != want {
			t.Errorf("a template that is %q says how it is rendered: %t", status, said)
		}
	}
}

func TestATemplatesPageSaysWhoDrawsWhatTheEmbeddedEngineDoesNot(t *testing.T) {
	t.Parallel()
	nearly := Template{Preflight: &aep.Preflight{Compositions: []aep.Forecast{{Verdict: aep.DrawsNearly}}}}
	exactly := Template{Preflight: &aep.Preflight{Compositions: []aep.Forecast{{Verdict: aep.DrawsExactly}}}}
	machines := func(agents, rulesOut int, wants farm.Text) Able {
		return Able{Able: dispatch.Able{Placement: farm.Placement{Agents: agents, Fitting: agents - rulesOut, Requirements: []farm.Requirement{{Kind: "engine", Wants: wants, RulesOut: rulesOut}}}}, Known: true}
	}
	const alone, add = "No connected machine has After Effects, so the embedded engine draws it, as the marks say.", `href="/machines/add"`
	admin := Shell{Reader: farm.Principal{Role: farm.RoleAdmin, FirstTeam: true}}
	for name, c := range map[string]struct {
		of         Template
		reader     Shell
		able       Able
		has, lacks []string
	}{
		"nobody has After Effects":           {nearly, admin, machines(3, 0, farm.Say("a renderer")), []string{alone, add}, nil},
		"of which an artist can mend little": {nearly, Shell{Reader: farm.Principal{Role: farm.RoleArtist}}, machines(3, 0, farm.Say("a renderer")), []string{alone}, []string{add}},
		"one of three has it":                {nearly, admin, machines(3, 2, farm.AsIs("After Effects")), []string{"1 connected machine has After Effects, which draws all of it."}, []string{alone, add}},
		"all of it is drawn exactly":         {exactly, admin, machines(3, 0, farm.Say("a renderer")), nil, []string{alone, "has After Effects"}},
	} {
		page := htmlOf(t, ableCard(c.reader, c.of, c.able))
		for _, words := range c.has {
			if !strings.Contains(page, words) {
				t.Errorf("%s: the page lacks %q: %s", name, words, page)
			}
		}
		for _, words := range c.lacks {
			if strings.Contains(page, words) {
				t.Errorf("%s: the page says %q", name, words)
			}
		}
	}
}

func TestASecretSaysHowManyMoreTemplatesUseIt(t *testing.T) {
	t.Parallel()
	use := Usage{Jobs: 20}
	for range sharesShown + 3 {
		use.By = append(use.By, Share{Name: "Spot", Jobs: 1})
	}
	if html := htmlOf(t, secretUse(use)); !strings.Contains(html, "and 3 more") {
		t.Errorf("three templates are left out without a word: %s", html)
	}
	use.By = use.By[:sharesShown]
	if html := htmlOf(t, secretUse(use)); strings.Contains(html, "more") {
		t.Errorf("all templates are named, and there are more: %s", html)
	}
}
