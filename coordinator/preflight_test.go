package coordinator_test

import (
	"context"
	"os"
	"slices"
	"testing"

	"golang.org/x/image/font/gofont/gobold"

	"overcrank/aep"
	"overcrank/coordinator"
	"overcrank/coordinator/reader"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// looksAtTemplate makes the tests' own program a reader that looks at what it read.
const looksAtTemplate = "look-at-template"

// lookAt finds that each layer of a composition lacks the font by which it is called.
func lookAt(_ context.Context, p *aep.Project, job reader.Job) (*aep.Preflight, error) {
	out := &aep.Preflight{}
	for _, it := range p.Items {
		c := aep.Forecast{ID: it.ID, Composition: it.Name}
		for _, l := range it.Comp.Layers[:min(len(it.Comp.Layers), job.Each)] {
			c.Findings = append(c.Findings, aep.Finding{Kind: aep.FontFinding, Composition: it.Name, Layer: l.Name, What: l.Name, Detail: true})
		}
		c.Verdict = c.Judge()
		out.Compositions = append(out.Compositions, c)
	}
	return out, nil
}

// looking has templates looked at when they are read, as a farm does.
func looking(t *testing.T) func(*coordinator.Config) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return func(cfg *coordinator.Config) { cfg.Reader = []string{self, looksAtTemplate} }
}

func TestAPreflightKnowsTheFontsOfTheLibraryAndOfMachines(t *testing.T) {
	r := open(t, looking(t))
	s := r.enrol("suite")
	s.connect()
	s.inventory.Fonts = []farm.FontUse{{PostScript: "Inter-Bold"}}
	s.say(wire.Message{Inventory: &s.inventory})
	kept := r.addFont(r.admin, "kept.ttf", gobold.TTF).Faces[0].PostScript
	tpl := r.uploaded(lettered(t, "Inter-Bold", kept, "NobodyHasIt-Bold"))
	var got *aep.Preflight
	r.eventually("the machine's font is known", func() bool {
		var err error
		if got, err = r.TemplatePreflight(t.Context(), r.admin, tpl.ID); err != nil {
			t.Fatal(err)
		}
		return !slices.Contains(got.Fonts(), "Inter-Bold")
	})
	if fonts := got.Fonts(); !slices.Equal(fonts, []string{"NobodyHasIt-Bold"}) || got.Compositions[0].Verdict != aep.DrawsNearly {
		t.Errorf("got %+v", got)
	}
	if len(tpl.Fonts) != 3 {
		t.Errorf("the template was read as %+v", tpl)
	}
	if _, err := r.TemplatePreflight(t.Context(), r.admin, "unknown"); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("of no template: %v", err)
	}
}

func TestATemplateThatNobodyLookedAtHasNoPreflight(t *testing.T) {
	r := open(t)
	tpl := r.uploaded(lettered(t, "Inter-Bold"))
	if got, err := r.TemplatePreflight(t.Context(), r.admin, tpl.ID); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestItIsKnownWhichMachinesCouldRenderATemplate(t *testing.T) {
	r := open(t)
	title := r.uploaded(project(t, []string{"main"})).ID
	able, known, err := r.MachinesFor(t.Context(), r.admin, title)
	if err != nil || !known || able.Placement.Agents != 0 || len(able.Machines) != 0 {
		t.Errorf("without machines: %+v, %t, %v", able, known, err)
	}
	r.enrol("near").connect()
	r.enrol("far").connect()
	able, known, err = r.MachinesFor(t.Context(), r.admin, title)
	if err != nil || !known || able.Placement.Agents != 2 || able.Placement.Fitting != 2 || len(able.Machines) != 2 || able.Machines[0].Name != "far" {
		t.Errorf("with two machines: %+v, %t, %v", able, known, err)
	}
	engine := func() (wants string, rulesOut int) {
		able, _, err := r.MachinesFor(t.Context(), r.admin, title)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(able.Placement.Requirements, func(r farm.Requirement) bool { return r.Kind == "engine" })
		return able.Placement.Requirements[i].Wants.Key, able.Placement.Requirements[i].RulesOut
	}
	if wants, rulesOut := engine(); wants != "a renderer" || rulesOut != 0 { // by which pages know that After Effects is nowhere
		t.Errorf("without After Effects it asks for %q, which rules out %d", wants, rulesOut)
	}
	r.enrol("suite", func(inv *farm.Inventory) {
		inv.Engines = []farm.EngineInfo{{Kind: farm.EngineAfterEffects, Version: "26.0.2"}}
	}).connect()
	if wants, rulesOut := engine(); wants == "a renderer" || rulesOut != 2 {
		t.Errorf("with After Effects on one of three it asks for %q, which rules out %d", wants, rulesOut)
	}
	if line, _, err := r.Queue(t.Context(), r.admin, 10, ""); err != nil || len(line) != 0 {
		t.Errorf("what was only asked about stands in line: %+v, %v", line, err)
	}
	if _, _, err := r.AbleTo(t.Context(), farm.Principal{Team: "another", Role: farm.RoleViewer}, title, nil); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("another team is told: %v", err)
	}
}
