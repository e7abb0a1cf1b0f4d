package web_test

import (
	"context"
	"net/http"
	"os"
	"testing"

	"overcrank/aep"
	"overcrank/coordinator/reader"
)

// looksAtTemplate makes the tests' own program a reader that looks at what it read.
const looksAtTemplate = "look-at-template"

// lookAt finds that each composition lacks a font.
func lookAt(_ context.Context, p *aep.Project, _ reader.Job) (*aep.Preflight, error) {
	out := &aep.Preflight{}
	for _, it := range p.Items {
		if it.Comp != nil {
			out.Compositions = append(out.Compositions, aep.Forecast{ID: it.ID, Composition: it.Name, Verdict: aep.DrawsNearly, Findings: []aep.Finding{
				{Kind: aep.FontFinding, Composition: it.Name, Layer: "Title", What: "NobodyHasIt-Bold", Detail: true}},
				Needs:     []aep.Need{{Kind: aep.NeedEffect, Name: "Glow<b>", Match: "ADBE Glo2", Count: 3, Drawn: aep.DrawsNearly}, {Kind: aep.NeedLayer, Name: "3D layers", Count: 1, Drawn: aep.DrawsExactly}},
				MoreNeeds: 2})
		}
	}
	return out, nil
}

func TestATemplatesPageSaysWhatWouldBeDrawnOtherwise(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, func(r *rig) { r.reader = []string{self, looksAtTemplate} })
	looked := r.cardTemplate("ada")
	r.as("art").get("/templates/"+looked.ID).is(http.StatusOK, "Draws nearly: 1 thing differs", "layer “Title”", "font “NobodyHasIt-Bold” is not there",
		"Uses 4 features", "Drawn nearly", "effect “Glow&lt;b&gt;” × 3", "Drawn exactly", "3D layers", "and 2 more").
		lacks("an earlier release")
	r.as("art").get("/templates/"+looked.ID).is(http.StatusOK, "After Effects itself draws everything", `href="#able"`)
	german := r.as("art")
	german.reads = "de"
	german.get("/templates/"+looked.ID).is(http.StatusOK, "Ebene „Title“", "Die Schrift „NobodyHasIt-Bold“ ist nicht da; eine ähnliche vertritt sie",
		"Nutzt 4 Funktionen", "Annähernd gezeichnet", "3D-Ebenen").lacks("is not there")
}

func TestATemplateThatNobodyLookedAtSaysHowToHaveItLookedAt(t *testing.T) {
	r := start(t)
	made := r.picturedTemplate("ada")
	r.as("art").get("/templates/"+made.ID).is(http.StatusOK, "an earlier release read it", `href="#versions">New version</a>`).lacks("Draws")
	r.as("vic").get("/templates/"+made.ID).is(http.StatusOK, "an earlier release read it").lacks("overcrank templates replace")
}
