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
		"La place dans la file d’attente n’a pas été changée", "Doit être un nombre entier de -1000 à 1000").lacks("whole number")
	v.post("/jobs/"+job.ID+"/cancel", nil).is(http.StatusForbidden, "darf Folgendes nicht: Jobs abbrechen, zurückhalten, freigeben", "mindestens die Rolle Artist").lacks("may not")
	card := r.cardTemplate("ada")
	art.get("/new?template="+card.ID+"&version=9").is(http.StatusNotFound, "ne peut pas être rendue").lacks("cannot be")
}

func TestRefusalsAreInTheLanguageOfTheirReader(t *testing.T) {
	r := start(t)
	job := r.submit("art", "Spring spot")
	german := r.as("ada")
	german.reads = "de"
	for _, refused := range []struct {
		path   string
		form   url.Values
		status int
		says   string
	}{
		{"/account/notifications/test", url.Values{"way": {"email"}}, http.StatusConflict, "Ihre Einstellungen nutzen keine E-Mail; speichern Sie sie zuerst damit."},
		{"/failures/retry", url.Values{"cause": {"rain"}}, http.StatusBadRequest, "ist keine von denen auf der Seite der Fehler"},
		{"/jobs/change", url.Values{"do": {"cancel"}, "all": {"1"}, "from": {"tomorrow"}}, http.StatusBadRequest, "ist kein Datum; schreiben Sie es wie 2026-03-31"},
		{"/jobs/" + job.ID + "/approve", nil, http.StatusConflict, "wartet nicht auf eine Freigabe"},
		{"/machines/invite", url.Values{"uses": {"0"}, "life": {"1h"}}, http.StatusBadRequest, "Mindestens 1 eingeben"},
		{"/machines/change", url.Values{"do": {"dance"}}, http.StatusBadRequest, "Nichts wurde geändert"},
		{"/machines/hours", url.Values{"id": {"gone"}, "open": {"0-0"}}, http.StatusBadRequest, "kein Rechner ist ausgewählt"},
		{"/new/presets", url.Values{"presetName": {"Other"}, "project": {"nobody"}}, http.StatusBadRequest, "Die Vorgabe kann nicht gespeichert werden"},
		{"/new/presets", url.Values{"presetName": {""}, "codec": {"video_prores_422"}}, http.StatusBadRequest, "muss eine Zeile mit bis zu 80 Zeichen sein"},
		{"/new/presets/delete", url.Values{"presetName": {"Broadcast"}}, http.StatusNotFound, "Eine Vorgabe „Broadcast“ gibt es nicht."},
		{"/projects", url.Values{"name": {""}}, http.StatusBadRequest, "Der Name: muss eine Zeile mit bis zu 80 Zeichen sein."},
		{"/projects", url.Values{"name": {"Spring"}, "hours": {"-1"}}, http.StatusBadRequest, "Das Budget: muss von 0,001 bis 10.000.000 sein."},
		{"/queue/levels/soon/pause", nil, http.StatusNotFound, "Es gibt keine Stufe „soon“."},
		{"/reports/rates", url.Values{"revision": {"0"}, "perHour": {"much"}}, http.StatusBadRequest, "muss eine Zahl wie 1.50 sein"},
		{"/settings/studio", url.Values{"name": {""}}, http.StatusBadRequest, "Der Name braucht 1 bis 255 Zeichen."},
	} {
		german.post(refused.path, refused.form).is(refused.status, `<html lang="de"`, refused.says)
	}
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
