package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestAJobIsForAProject names one by its name and by its id, and lists its jobs by either; a project that is archived, and one that nobody knows,
// are refused naming the field.
func TestAJobIsForAProject(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	var spring struct{ ID string }
	r.send(http.MethodPost, "/api/farm/v1/projects", `{"name": "Spring spots", "budget": {"hours": 40}}`).into(http.StatusCreated, &spring)
	naming := func(project string) string {
		return strings.Replace(srcJob, "{", `{"project": "`+project+`", `, 1)
	}
	byName, byID, other := r.submit(naming("spring SPOTS")), r.submit(naming(spring.ID)), r.submit(srcJob)
	for _, named := range []string{"Spring%20spots", spring.ID} {
		var jobs []struct{ ID, ProjectID string }
		r.get("/api/v2/jobs?project="+named).into(http.StatusOK, &jobs)
		if len(jobs) != 2 || jobs[0].ID != byName.ID || jobs[1].ID != byID.ID || jobs[0].ProjectID != spring.ID {
			t.Errorf("for the project %s there are %+v, not %s and %s", named, jobs, byName.ID, byID.ID)
		}
	}
	var job struct{ ProjectID *string }
	if r.get("/api/farm/v1/jobs/"+other.ID).into(http.StatusOK, &job); job.ProjectID != nil {
		t.Errorf("a job of no project has %q", *job.ProjectID)
	}
	if a := r.send(http.MethodPost, "/api/v2/jobs", naming("Winter")); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), `"project"`) {
		t.Errorf("an unknown project is answered with %d %s", a.status, a.body)
	}
	if a := r.get("/api/v2/jobs?project=Winter"); a.status != http.StatusBadRequest {
		t.Errorf("a list for an unknown project is answered with %d", a.status)
	}
	r.send(http.MethodPost, "/api/farm/v1/projects/"+spring.ID+"/archive", nil).into(http.StatusOK, nil)
	if a := r.send(http.MethodPost, "/api/v2/jobs", naming(spring.ID)); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), `"project"`) {
		t.Errorf("an archived project is answered with %d %s", a.status, a.body)
	}
	var projects []struct{ ID string }
	if r.get("/api/farm/v1/projects").into(http.StatusOK, &projects); len(projects) != 0 {
		t.Errorf("the open projects are %+v", projects)
	}
	if r.get("/api/farm/v1/projects?archived=true").into(http.StatusOK, &projects); len(projects) != 1 {
		t.Errorf("all projects are %+v", projects)
	}
}

func TestOnlyAdministratorsSetBudgets(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	as := bearer(r.makeToken("producer", "").Secret)
	var spring struct {
		ID     string
		Budget *struct{ Hours float64 }
	}
	r.send(http.MethodPost, "/api/farm/v1/projects", `{"name": "Spring"}`, as).into(http.StatusCreated, &spring)
	for request, body := range map[string]string{
		"POST /api/farm/v1/projects":               `{"name": "Autumn", "budget": {"hours": 2}}`,
		"PATCH /api/farm/v1/projects/" + spring.ID: `{"budget": {"hours": 2}}`,
	} {
		method, path, _ := strings.Cut(request, " ")
		if a := r.send(method, path, body, as); a.status != http.StatusForbidden {
			t.Errorf("a producer who sends %s %s is answered with %d", request, body, a.status)
		}
	}
	r.send(http.MethodPatch, "/api/farm/v1/projects/"+spring.ID, `{"budget": {"hours": 2, "per": "total", "then": "warn"}}`).into(http.StatusOK, &spring)
	if spring.Budget == nil || spring.Budget.Hours != 2 {
		t.Errorf("the budget is %+v", spring.Budget)
	}
	r.send(http.MethodPatch, "/api/farm/v1/projects/"+spring.ID, `{"budget": null}`).into(http.StatusOK, &spring)
	if spring.Budget != nil {
		t.Errorf("the budget that was taken away is %+v", spring.Budget)
	}
}
