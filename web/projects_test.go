package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"overcrank/farm"
)

// TestProjectsOfATeam creates a project in a form, changes and archives it, and lists its jobs.
func TestProjectsOfATeam(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	v.get("/projects").is(http.StatusOK, "No projects yet", "New project")
	v.post("/projects", url.Values{"name": {"Spring spots"}, "hours": {"40"}, "per": {"month"}, "then": {"hold"}}).is(http.StatusOK, "Spring spots", "0 h of 40 machine hours", "New work waits when it is used up")
	v.post("/projects", url.Values{"name": {"spring SPOTS"}}).is(http.StatusConflict, "already", "spring SPOTS")
	v.post("/projects", url.Values{"name": {"Autumn"}, "hours": {"-2"}, "per": {"month"}, "then": {"hold"}}).is(http.StatusBadRequest, "The budget has to be from 0.001")

	list, err := r.farm.Projects(t.Context(), r.principal("ada"))
	if err != nil || len(list) != 1 {
		t.Fatalf("the projects are %+v (%v)", list, err)
	}
	id := list[0].ID
	v.post("/projects/"+id, url.Values{"name": {"Spring"}, "hours": {""}, "per": {"month"}, "then": {"hold"}}).is(http.StatusOK, "Spring", "No budget").lacks("Spring spots")
	v.get("/search/found?q=spri").is(http.StatusOK, "/projects#"+id)

	job, err := r.farm.Submit(t.Context(), r.principal("ada"), farm.Job{Name: "Opener", ProjectID: "Spring", Template: farm.JobTemplate{Src: "https://files.example/title.aep", Composition: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	v.get("/jobs/"+job.ID).is(http.StatusOK, "/jobs?project="+id, "Spring")
	r.eventually("the index has the job", func() bool { return strings.Contains(v.get("/jobs?project="+id).body, "Opener") })
	v.get("/jobs?project=other").is(http.StatusOK).lacks("Opener")

	r.as("art").get("/projects").is(http.StatusOK, "Spring", "administrators set their budgets").lacks("New project", "Archive")
	v.post("/projects/"+id+"/archive", nil).is(http.StatusOK, "Archived projects (1)", "Reopen")
	v.post("/projects/"+id+"/reopen", nil).is(http.StatusOK).lacks("Archived projects")
	if a := r.as("zoe").get("/projects"); strings.Contains(a.body, "Spring") {
		t.Error("another team sees the project")
	}
}
