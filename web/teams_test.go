package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"overcrank/farm"
)

// TestTeamsAreMadeChangedAndDeleted goes from a team's first administrator, who gets in by the link, to its end.
func TestTeamsAreMadeChangedAndDeleted(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	v.get("/settings/teams").is(http.StatusOK, "The farm’s first team", "New team")
	v.post("/settings/teams", url.Values{"name": {""}}).is(http.StatusBadRequest, "The name needs 1 to 255 characters")

	made := v.post("/settings/teams", url.Values{"name": {"Trailers"}, "who": {"Tess"}, "email": {"tess@studio.example"}}).is(http.StatusOK, "Send this link to Tess", "Trailers", "1 person")
	tess := r.visit()
	path := regexp.MustCompile(`/sign-in/[A-Za-z0-9]+`).FindString(made.body)
	tess.post(path, url.Values{"password": {"correct horse battery"}}).is(http.StatusOK, "<h1>Overview</h1>", "Tess")
	tess.get("/settings/people").is(http.StatusOK, "Tess", "Invite")
	tess.get("/settings/teams").is(http.StatusForbidden)

	id := teamNamed(t, r, "Trailers")
	at := "/settings/teams/" + id
	budget := url.Values{"name": {"Trailers and teasers"}, "hours": {"12"}, "per": {"total"}, "then": {"warn"}}
	v.post(at, budget).is(http.StatusOK, "Trailers and teasers", "0 h of 12 machine hours in all", "People are told when it is used up")
	tess.get("/projects").is(http.StatusOK, "The whole team", "12 machine hours")
	budget.Set("hours", "-1")
	v.post(at, budget).is(http.StatusBadRequest, "The budget has to be from 0.001", `value="-1"`)
	budget.Set("hours", "")
	v.post(at, budget).is(http.StatusOK).lacks("12 machine hours")

	v.post(at+"/invite", url.Values{"who": {""}}).is(http.StatusBadRequest, "A name is needed")
	v.post(at+"/invite", url.Values{"who": {"Tom"}, "email": {"tom"}}).is(http.StatusBadRequest, `value="Tom"`, "The e-mail address cannot be used")
	v.post(at+"/invite", url.Values{"who": {"Tom"}}).is(http.StatusOK, "Send this link to Tom", "2 people")

	p := farm.Principal{Team: id, Role: farm.RoleAdmin}
	job, err := r.farm.Submit(t.Context(), p, farm.Job{Name: "Opener", Template: farm.JobTemplate{Src: "https://files.example/title.aep", Composition: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	v.post(at+"/delete", nil).is(http.StatusConflict, "Nothing was changed", "Trailers and teasers")
	if _, err := r.farm.CancelJobs(t.Context(), p, []string{job.ID}, true); err != nil {
		t.Fatal(err)
	}
	v.post(at+"/delete", nil).is(http.StatusOK).lacks("Trailers and teasers")
	tess.get("/jobs").is(http.StatusOK, "Name or e-mail") // the sign-in page
}

func TestATeamThatNobodyAdministersIsSaid(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	v.post("/settings/teams", url.Values{"name": {"Trailers"}}).is(http.StatusOK, "Nobody administers this team")
	v.post("/settings/teams/"+teamNamed(t, r, "Trailers")+"/invite", url.Values{"who": {"Tess"}}).is(http.StatusOK)
	trailers := v.get("/settings/teams").is(http.StatusOK).body
	trailers = trailers[strings.Index(trailers, ">Trailers<"):]
	if strings.Contains(trailers, "Nobody administers") {
		t.Error("a team with an administrator is said to have none")
	}
}

func teamNamed(t *testing.T, r *rig, name string) string {
	t.Helper()
	teams, _, err := r.farm.Teams(t.Context(), r.principal("ada"))
	if err != nil {
		t.Fatal(err)
	}
	for _, team := range teams {
		if team.Name == name {
			return team.ID
		}
	}
	t.Fatalf("there is no team %q among %+v", name, teams)
	return ""
}
