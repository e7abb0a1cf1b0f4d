package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"overcrank/aep/aeptest"
	"overcrank/farm"
)

func TestATemplateThatIsRetiredTakesNoJobsAndComesBack(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("ada")
	v.post("/templates/"+card.ID+"/retire", url.Values{"retired": {"1"}}).is(http.StatusOK, "<b>Retired</b>", "Bring it back").lacks("/new?template=")
	v.get("/templates").is(http.StatusOK, "Retired (1)").lacks("/new?template=")
	v.get("/new").is(http.StatusOK).lacks(card.ID)
	v.get("/new?template="+card.ID).is(http.StatusConflict, "is retired and takes no new jobs")
	if _, err := r.farm.Submit(t.Context(), r.principal("ada"), farm.Job{Template: farm.JobTemplate{ID: card.ID, Composition: "main"}}); farm.CodeOf(err) != farm.CodeInvalid {
		t.Errorf("a job of a retired template: %v", err)
	}
	v.post("/templates/"+card.ID+"/retire", nil).is(http.StatusOK, "Retire</button>", "/new?template="+card.ID)
	r.as("zoe").post("/templates/"+card.ID+"/retire", nil).is(http.StatusNotFound)
}

// TestAnEarlierVersionIsRenderedAndBroughtBack opens the form of an earlier version, renders it, and makes it the next one.
func TestAnEarlierVersionIsRenderedAndBroughtBack(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	r.replaceTemplate("ada", card, aeptest.BareProject(t))
	v := r.as("ada")
	v.get("/templates/"+card.ID).is(http.StatusOK, "This is version 2", "Render this version", "/new?template="+card.ID+"&amp;version=1", "Make current")
	r.as("vic").get("/templates/"+card.ID).is(http.StatusOK, "Version 1").lacks("Make current", "Render this version")
	v.get("/templates/"+card.ID).is(http.StatusOK, "From version 1 to version 2", "Removed: ")
	v.get("/templates/"+card.ID+"?from=2&to=1").is(http.StatusOK, "From version 2 to version 1", "Added: ")
	v.get("/templates/"+card.ID+"?from=1&to=1").is(http.StatusOK, "stayed the same")
	v.get("/templates/"+card.ID+"?from=9&to=2").is(http.StatusOK, "has no version 9 that is remembered").lacks("stayed the same")
	v.get("/new?template=" + card.ID).is(http.StatusOK).lacks("Subtitle")
	v.get("/new?template="+card.ID+"&version=1").is(http.StatusOK, "Subtitle", "renders version 1 of the template", `name="version" value="1"`)
	v.get("/new?template="+card.ID+"&version=9").is(http.StatusNotFound, "versions that can: 1, 2")

	made := v.post("/new", url.Values{"template": {card.ID}, "version": {"1"}, "composition": {"main"}, "name": {"As before"}, "codec": {""}})
	made.is(http.StatusOK, "As before", "Version 1; the template has version 2 now.")
	jobs, _, err := r.farm.Jobs(t.Context(), r.principal("ada"), farm.JobQuery{Limit: 10})
	if err != nil || len(jobs) != 1 || jobs[0].Template.Version != 1 {
		t.Fatalf("the jobs are %+v (%v)", jobs, err)
	}
	// The table of many jobs renders that version too, and offers its layers.
	v.get("/new?template="+card.ID+"&version=1").is(http.StatusOK, "/new/table?template="+card.ID+"&amp;composition=main&amp;version=1")
	v.get("/new/table?template="+card.ID+"&version=1").is(http.StatusOK, "render version 1 of the template", `name="version" value="1"`, "/new/table.csv?template="+card.ID+"&amp;composition=main&amp;version=1")
	v.get("/new/table?template="+card.ID+"&version=9").is(http.StatusNotFound, "versions that can: 1, 2")
	v.get("/new/table.csv?template="+card.ID+"&version=1").is(http.StatusOK, "Subtitle")
	v.get("/new/table.csv?template=" + card.ID).is(http.StatusOK).lacks("Subtitle")
	rows := []field{{"template", "", card.ID}, {"version", "", "1"}, {"composition", "", "main"}, {"table", "", "@name,Subtitle\nOne,a\nTwo,b\n"}, {"do", "", "order"}}
	if a := v.sends("/files/table", rows...).is(http.StatusOK); !strings.HasPrefix(a.path, "/batches/") {
		t.Errorf("the table leads to %s", a.path)
	}
	films, _, err := r.farm.Jobs(t.Context(), r.principal("ada"), farm.JobQuery{Limit: 10})
	if err != nil || len(films) != 3 || films[1].Template.Version != 1 || films[2].Template.Version != 1 {
		t.Errorf("the films of the table are %+v (%v)", films, err)
	}
	v.get("/new?again="+jobs[0].ID).is(http.StatusOK, `name="version" value="1"`)

	v.post("/templates/"+card.ID+"/current", url.Values{"version": {"9"}}).is(http.StatusBadRequest)
	r.as("zoe").post("/templates/"+card.ID+"/current", url.Values{"version": {"1"}}).is(http.StatusNotFound)
	v.post("/templates/"+card.ID+"/current", url.Values{"version": {"1"}}).is(http.StatusOK, "This is version 3")
	r.eventually("the file is read again", func() bool {
		now, err := r.farm.Templates().Get(t.Context(), r.principal("ada"), card.ID)
		return err == nil && now.Status == farm.TemplateUploaded && now.File.SHA256 == card.File.SHA256
	})
}

func TestPagesSayWhoUsesTemplatesAndSecrets(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	v := r.as("ada")
	v.get("/templates/"+card.ID).is(http.StatusOK, "No jobs in the last 30 days", "Not used yet", "This is version 1")
	v.post("/settings/secrets", url.Values{"name": {"HOOK"}, "value": {"https://shop.example/secret-hook"}}).is(http.StatusOK, "Not used yet")
	for range 2 {
		job := farm.Job{Template: farm.JobTemplate{ID: card.ID, Composition: "main"}, Assets: []farm.Asset{{Type: "image", LayerName: "Picture", Src: "https://${secrets.HOOK}/a.png"}}}
		if _, err := r.farm.Submit(t.Context(), r.principal("ada"), job); err != nil {
			t.Fatal(err)
		}
	}
	v.get("/templates/"+card.ID).is(http.StatusOK, "2 jobs in the last 30 days", "ada")
	v.get("/settings/secrets").is(http.StatusOK, "2 jobs", card.DisplayName, "/templates/"+card.ID).lacks("secret-hook")
	v.get("/settings/fonts").is(http.StatusOK)
}
