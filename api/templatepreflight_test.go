package api_test

import (
	"context"
	"net/http"
	"os"
	"testing"

	"overcrank/aep"
	"overcrank/coordinator"
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
				{Kind: aep.FontFinding, Composition: it.Name, Layer: "layer 0", What: "NobodyHasIt-Bold", Detail: true}},
				Needs: []aep.Need{{Kind: aep.NeedEffect, Name: "Glow", Match: "ADBE Glo2", Count: 3, Drawn: aep.DrawsNearly}}})
		}
	}
	return out, nil
}

func TestATemplatesPreflightSaysWhatWouldBeDrawnOtherwise(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := startOn(t, coordinator.Config{DataDir: t.TempDir(), Reader: []string{self, looksAtTemplate}})
	good := r.given(project(t, 1), "uploaded")
	var got struct {
		Stopped      *string
		Compositions []struct {
			Name, Verdict string
			Findings      []struct{ Kind, Layer, What string }
			More          int
			Needs         []struct {
				Kind, Name, Match, Drawn string
				Count                    int
			}
		}
	}
	r.get("/api/farm/v1/templates/"+good+"/preflight").into(http.StatusOK, &got)
	if got.Stopped != nil || len(got.Compositions) != 1 || got.Compositions[0].Verdict != "nearly" || len(got.Compositions[0].Findings) != 1 ||
		got.Compositions[0].Findings[0].What != "NobodyHasIt-Bold" {
		t.Errorf("the preflight is %+v", got)
	}
	if needs := got.Compositions[0].Needs; len(needs) != 1 || needs[0].Kind != "effect" || needs[0].Name != "Glow" || needs[0].Match != "ADBE Glo2" || needs[0].Count != 3 ||
		needs[0].Drawn != "nearly" {
		t.Errorf("it uses %+v", needs)
	}
	bad := r.given([]byte("this is no project"), "error")
	r.get("/api/farm/v1/templates/"+bad+"/preflight").refused(http.StatusBadRequest, "could not be read")
}

// given is the id of a template that was given a file and has come to a status by it.
func (r *rig) given(file []byte, status string) string {
	r.t.Helper()
	tpl := r.createTemplate("aep")
	r.upload(tpl.UploadInfo.URL, file).into(http.StatusOK, nil)
	r.eventually("the template is read", func() bool {
		var now templateAnswer
		r.get("/api/v2/templates/"+tpl.ID).into(http.StatusOK, &now)
		return now.Status == status
	})
	return tpl.ID
}
