package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"overcrank/farm"
)

func TestPagesAreInTheLanguageOfTheirReader(t *testing.T) {
	r := start(t)
	v, other := r.as("vic"), r.as("vic") // in two browsers
	v.get("/jobs").is(http.StatusOK, `<html lang="en"`, "No jobs yet").lacks("/static/words/")
	v.reads = "de-AT,de;q=0.9,en;q=0.5"
	v.get("/jobs").is(http.StatusOK, `<html lang="de"`, "Noch keine Jobs", `/static/words/de.js`).lacks("No jobs yet")
	r.eventually("the farm keeps who reads what", func() bool { return v.post("/language", url.Values{"language": {"fr"}}).status == http.StatusOK })
	v.get("/jobs").is(http.StatusOK, `<html lang="fr"`, "Aucun job pour l’instant")
	v.get("/account").is(http.StatusOK, `<option value="fr" lang="fr" selected>Français</option>`)
	other.get("/jobs").is(http.StatusOK, `<html lang="fr"`, "Aucun job pour l’instant")
	v.post("/language", url.Values{"language": {""}})
	other.get("/jobs").is(http.StatusOK, `<html lang="en"`)
	if s, err := r.farm.Notices().Settings(t.Context(), r.principal("vic")); err != nil || s.Language != "" || s.Reads != farm.German {
		t.Errorf("messages are in the language of the browser that chose last: %+v, %v", s, err)
	}
	v.get("/jobs").is(http.StatusOK, `<html lang="de"`)
	v.get("/there-is-no-such-page").is(http.StatusNotFound, "Seite nicht gefunden", "Unter dieser Adresse gibt es nichts").lacks("There is nothing at this address")
	art := r.as("art")
	art.reads = "fr"
	job := r.submit("art", "Spring spot")
	art.post("/jobs/"+job.ID+"/order", url.Values{"priority": {"many"}}).is(http.StatusBadRequest,
		"La place du job dans la file d’attente ne peut pas être changée", "doit être un nombre entier de -1000 à 1000").lacks("whole number")
	v.post("/jobs/"+job.ID+"/cancel", nil).is(http.StatusForbidden, "darf Folgendes nicht: Jobs abbrechen, freigeben", "mindestens die Rolle Artist").lacks("may not")
	card := r.cardTemplate("ada")
	art.get("/new?template="+card.ID+"&version=9").is(http.StatusNotFound, "ne peut pas être rendue").lacks("cannot be")
}

func TestScriptsHaveTheirWordsInEachLanguage(t *testing.T) {
	r := start(t)
	v := r.as("vic")
	v.get("/static/words/de.js").is(http.StatusOK, "window.words = {", `"Undo":"Rückgängig"`, `"%d jobs":["%d Job","%d Jobs"]`)
	v.get("/static/words/xx.js").is(http.StatusNotFound)
	for _, text := range []string{"../web.go", "%2e%2e%2fweb.go"} {
		if body := v.get("/static/words/" + text).body; strings.Contains(body, "package web") {
			t.Errorf("%s is served", text)
		}
	}
}
