package api_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestFieldsThatNobodyKnowsAreNamed(t *testing.T) {
	r := start(t)
	body := strings.Replace(srcJob, "{", `{"setings": {"frames": 3}, "prioirty": 4, "webhok": {}, `, 1)
	var made struct {
		ID       string
		Warnings []string
	}
	r.send(http.MethodPost, "/api/v2/jobs", body).into(http.StatusCreated, &made)
	said := strings.Join(made.Warnings, "\n")
	for _, want := range []string{"'setings' is not known here and was left out; did you mean 'settings'?", "did you mean 'priority'?", "'webhok'"} {
		if !strings.Contains(said, want) {
			t.Errorf("the warnings %q lack %q", made.Warnings, want)
		}
	}
	var kept struct{ Warnings []string }
	r.get("/api/v2/jobs/"+made.ID).into(http.StatusOK, &kept)
	if strings.Join(kept.Warnings, "\n") != said {
		t.Errorf("the job keeps %q", kept.Warnings)
	}
	r.send(http.MethodPost, "/api/v2/jobs?strict=true", body).refused(http.StatusBadRequest, `"field":"setings"`, "did you mean 'settings'?", `"field":"prioirty"`, `"field":"webhok"`)
	r.send(http.MethodPost, "/api/v2/jobs?strict=perhaps", srcJob).refused(http.StatusBadRequest, "strict")
	r.send(http.MethodPost, "/api/v2/jobs?strict=true", srcJob).into(http.StatusCreated, nil)

	join := `{"assets": [{"type": "video", "src": "https://files.example/a.mp4", "layerName": "x"}], "template": {"id": "x"}}`
	r.send(http.MethodPost, "/api/v2/jobs/join", join).into(http.StatusCreated, &made)
	if len(made.Warnings) != 2 {
		t.Errorf("a join is warned of with %q", made.Warnings)
	}
	r.send(http.MethodPost, "/api/v2/jobs/join?strict=true", join).refused(http.StatusBadRequest, `"field":"assets[0].layerName"`, `"field":"template"`)

	batch := `{"jobs": [` + srcJob + `, ` + body + `]}`
	var some struct {
		Status  string
		BatchID string
		Jobs    []struct{ Warnings []string }
		Errors  []struct{ Index int }
	}
	r.send(http.MethodPost, "/api/v2/batches", batch).into(http.StatusCreated, &some)
	if some.Status != "created" || len(some.Jobs[0].Warnings) != 0 || len(some.Jobs[1].Warnings) != 3 {
		t.Errorf("the batch is %+v", some)
	}
	r.send(http.MethodPost, "/api/v2/batches?strict=true", batch).into(http.StatusCreated, &some)
	if some.Status != "partial" || len(some.Errors) != 1 || some.Errors[0].Index != 1 {
		t.Errorf("the strict batch is %+v", some)
	}
	some.BatchID = ""
	r.send(http.MethodPost, "/api/v2/batches?strict=true", `{"jobs": [`+body+`]}`).into(http.StatusBadRequest, &some)
	if len(some.BatchID) != 26 {
		t.Errorf("a batch of which nothing was accepted has the id %q", some.BatchID)
	}
}

func TestWhatLooksLikeASecretIsWarnedOf(t *testing.T) {
	r := start(t)
	r.send(http.MethodPut, "/api/v2/secrets", `{"name": "TOKEN", "value": "hush"}`).into(http.StatusCreated, nil)
	var made struct{ Warnings []string }
	body := strings.Replace(srcJob, "{", `{"assets": [{"type": "text", "layerName": "t", "value": "${secret.TOKEN} ${Secrets:TOKEN} ${secrets.TOKEN}"}], `, 1)
	r.send(http.MethodPost, "/api/v2/jobs", body).into(http.StatusCreated, &made)
	if len(made.Warnings) != 2 || !strings.Contains(made.Warnings[0], "${secret.TOKEN} is taken as it stands; a secret is referred to as ${secrets.TOKEN}") {
		t.Errorf("the warnings are %q", made.Warnings)
	}
}

func TestFunctionsForSeveralLayersAreEchoedOneByOne(t *testing.T) {
	r := start(t)
	body := strings.Replace(srcJob, "{", `{"assets": [{"type": "text", "layerName": "t", "value": "x"},
		{"type": "function", "name": "nx:layer-start-set", "params": {"layerName": ["a", "b"], "value": 1}}, {"type": "text", "layerName": "u", "value": "y"}], `, 1)
	job := r.submit(body)
	var echoed struct {
		Assets []struct {
			Type      string
			LayerName string
			Params    struct{ LayerName any }
		}
	}
	r.get("/api/v2/jobs/"+job.ID).into(http.StatusOK, &echoed)
	if len(echoed.Assets) != 4 || echoed.Assets[1].Params.LayerName != "a" || echoed.Assets[2].Params.LayerName != "b" || echoed.Assets[3].LayerName != "u" {
		t.Errorf("the job is echoed with %+v", echoed.Assets)
	}
}

func TestIDsThatNoneCanHave(t *testing.T) {
	r := start(t)
	for _, address := range []string{
		"GET /api/v3/templates/x", "GET /api/v2/v3/templates/x/layers", "GET /api/v3/templates/x/compositions", "PATCH /api/v2/templates/x", "GET /api/v2/batches/x", "POST /api/v2/batches/x/cancel",
	} {
		method, path, _ := strings.Cut(address, " ")
		r.send(method, path, nil).refused(http.StatusBadRequest, "is not an id")
		r.send(method, strings.Replace(path, "/x", "/01JD7000000000000000000000", 1), `{"displayName": "y"}`).refused(http.StatusNotFound)
	}
}

func TestPlacesAreToldToMembersOnly(t *testing.T) {
	r := start(t)
	for who, told := range map[string]bool{bearer(r.token): true, "Authorization:": false, bearer("oct_wrong"): false} {
		a := r.get("/readyz", who).into(http.StatusOK, nil)
		if strings.Contains(string(a.body), r.dir) != told {
			t.Errorf("%s is told %s", who, a.body)
		}
	}
}
