package web_test

import (
	"net/http"
	"net/url"
	"testing"

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
