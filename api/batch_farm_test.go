package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

type batchCreatedAnswer struct {
	BatchID                 string
	Status                  string
	TotalJobs, SuccessCount int
	Jobs                    []struct {
		Index                 int
		ID, Status, OutputURL string
		Children              []struct{ ID, Status, OutputURL string }
	}
	Errors []struct {
		Index            int
		Error, ErrorCode string
	}
}

type batchAnswer struct {
	BatchID, Status string
	Stats           struct{ Total, Finished, Error, Pending int }
	Jobs            []struct {
		Index      int
		ID, Status string
	}
}

func TestABatchIsTakenAsFarAsItCanBe(t *testing.T) {
	r := start(t)
	parent := strings.Replace(srcJob, "}}", `}, "assets": [{"type": "job", "layerName": "bg", "template": {"src": "https://files.example/bg.aep"}}]}`, 1)
	var made batchCreatedAnswer
	r.send(http.MethodPost, "/api/v2/batches", fmt.Sprintf(`{"jobs": [%s, {"template": {"id": "01NONE"}}, %s, {}]}`, srcJob, parent)).into(http.StatusCreated, &made)
	if made.Status != "partial" || made.TotalJobs != 4 || made.SuccessCount != 2 || len(made.Jobs) != 2 || made.Jobs[1].Index != 2 || made.Jobs[1].Status != "pending" || len(made.Jobs[1].Children) != 1 {
		t.Fatalf("made %+v", made)
	}
	if len(made.Errors) != 2 || made.Errors[0].Index != 1 || made.Errors[0].ErrorCode != "NOT_FOUND" || made.Errors[1].Index != 3 || made.Errors[1].ErrorCode != "VALIDATION_ERROR" {
		t.Errorf("refused %+v", made.Errors)
	}

	path := "/api/v2/batches/" + made.BatchID
	var batch batchAnswer
	r.get(path).into(http.StatusOK, &batch)
	if batch.Status != "processing" || batch.Stats.Total != 2 || batch.Stats.Pending != 2 || len(batch.Jobs) != 2 || batch.Jobs[1].ID != made.Jobs[1].ID || batch.Jobs[1].Index != 2 {
		t.Errorf("the batch is %+v", batch)
	}
	var job struct{ BatchID, ParentID string }
	r.get("/api/v2/jobs/"+made.Jobs[1].Children[0].ID).into(http.StatusOK, &job)
	if job.BatchID != "" || job.ParentID != made.Jobs[1].ID {
		t.Errorf("the nested job is %+v", job)
	}

	var cancelled struct {
		Status                       string
		TotalJobs                    int
		CancelledCount, SkippedCount int
		Jobs                         []struct{ ID, Result, Status, Reason string }
		CancelledJobs                []struct{ ID string }
	}
	r.send(http.MethodPatch, "/api/v2/jobs/"+made.Jobs[0].ID+"/cancel", nil).into(http.StatusOK, nil)
	r.send(http.MethodPost, path+"/cancel", nil).into(http.StatusOK, &cancelled)
	if cancelled.Status != "partial" || cancelled.CancelledCount != 1 || cancelled.SkippedCount != 1 || len(cancelled.CancelledJobs) != 2 || cancelled.Jobs[0].Result != "skipped" || cancelled.Jobs[0].Reason == "" {
		t.Errorf("cancelled %+v", cancelled)
	}
	r.send(http.MethodPost, path+"/cancel", nil).into(http.StatusOK, &cancelled)
	if cancelled.Status != "unchanged" {
		t.Errorf("cancelled again %+v", cancelled)
	}
	r.get(path).into(http.StatusOK, &batch)
	if batch.Status != "error" || batch.Stats.Error != 2 {
		t.Errorf("at last the batch is %+v", batch)
	}
	r.get("/api/v2/batches/01JD7000000000000000000000").refused(http.StatusNotFound, "batch")
	r.send(http.MethodPost, "/api/v2/batches/01JD7000000000000000000000/cancel", nil).refused(http.StatusNotFound, "batch")
}

func TestABatchOfWhichNothingIsTakenIsRefused(t *testing.T) {
	r := start(t)
	var made batchCreatedAnswer
	r.send(http.MethodPost, "/api/v2/batches", `{"jobs": [{}, {"template": {"id": "01NONE"}}]}`).into(http.StatusBadRequest, &made)
	if made.Status != "error" || made.TotalJobs != 2 || len(made.Errors) != 2 || len(made.BatchID) != 26 {
		t.Errorf("refused with %+v", made)
	}
	for _, body := range []string{`{}`, `[`, `{"jobs": []}`, ``} {
		r.send(http.MethodPost, "/api/v2/batches", body).refused(http.StatusBadRequest, `"error"`, `"details"`)
	}
	if jobs := string(r.get("/api/v2/jobs").body); strings.TrimSpace(jobs) != "[]" {
		t.Errorf("left are %s", jobs)
	}
}

func TestABatchAndItsJobsAreToldByTheirNames(t *testing.T) {
	r := start(t)
	var made batchCreatedAnswer
	named := strings.Replace(srcJob, "{", `{"name": "spot-1", `, 1)
	r.send(http.MethodPost, "/api/v2/batches", fmt.Sprintf(`{"jobs": [%s, %s]}`, named, srcJob)).into(http.StatusCreated, &made)
	path := "/api/farm/v1/batches/" + made.BatchID
	r.send(http.MethodPatch, path, `{"name": "Spring spots", "dueAt": "2030-12-01T18:00:00Z"}`).into(http.StatusOK, &struct{}{})

	type label struct{ BatchID, Name, DueAt string }
	type listed struct {
		label
		SubmittedBy string
	}
	want := label{made.BatchID, "Spring spots", "2030-12-01T18:00:00.000Z"}
	for query, wanted := range map[string][]listed{
		"": {{want, "admin"}}, "?state=open&by=" + "admin": {{want, "admin"}}, "?by=another": {}, "?state=failures": {}, "?state=done": {},
	} {
		var list []listed
		if r.get("/api/farm/v1/batches"+query).into(http.StatusOK, &list); !slices.Equal(list, wanted) {
			t.Errorf("the list%s has %+v, want %+v", query, list, wanted)
		}
	}
	r.get("/api/farm/v1/batches?state=late").refused(http.StatusBadRequest, "state", "open, failures or done")
	var batch struct {
		label
		Stats struct{ Total, Pending int }
		Jobs  []struct {
			Index int
			Name  *string
		}
	}
	r.get(path).into(http.StatusOK, &batch)
	if batch.label != want || batch.Stats.Total != 2 || batch.Stats.Pending != 2 || len(batch.Jobs) != 2 || *batch.Jobs[0].Name != "spot-1" || batch.Jobs[1].Name != nil {
		t.Errorf("the batch is %+v, want %+v with two jobs, of which the first is called spot-1", batch, want)
	}
}

func TestBatchesAreListedWithPages(t *testing.T) {
	r := start(t)
	ids := map[string]bool{}
	for range 3 {
		var made batchCreatedAnswer
		r.send(http.MethodPost, "/api/v2/batches", `{"jobs": [`+srcJob+`]}`).into(http.StatusCreated, &made)
		ids[made.BatchID] = true
	}
	path, pages := "/api/farm/v1/batches?limit=2", 0
	for path != "" {
		var list []batchAnswer
		a := r.get(path).into(http.StatusOK, &list)
		for _, b := range list {
			if !ids[b.BatchID] || b.Status != "processing" || b.Stats.Pending != 1 {
				t.Errorf("listed %+v", b)
			}
			delete(ids, b.BatchID)
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(a.header.Get("Link"), "<"), ">")
		pages++
	}
	if len(ids) != 0 || pages != 2 {
		t.Errorf("%d pages left out %v", pages, ids)
	}
	r.get("/api/farm/v1/batches?cursor=x&limit=0").refused(http.StatusBadRequest, "cursor", "limit")
}

func TestJobsAreHeldAndReleased(t *testing.T) {
	r := start(t)
	held := strings.Replace(srcJob, "{", `{"hold": true, `, 1)
	job, other := r.submit(held), r.submit(held)
	r.get("/api/farm/v1/jobs/"+job.ID+"/why").into(http.StatusOK, nil).refused(http.StatusOK, "held")
	var released []struct {
		ID   string
		Hold bool
	}
	r.send(http.MethodPost, "/api/farm/v1/jobs/"+job.ID+"/release", nil).into(http.StatusOK, &released)
	if len(released) != 1 || released[0].ID != job.ID || released[0].Hold {
		t.Errorf("released %+v", released)
	}
	r.get("/api/farm/v1/jobs/"+job.ID+"/why").refused(http.StatusOK, "No machine is online")
	r.send(http.MethodPost, "/api/farm/v1/jobs/release", fmt.Sprintf(`{"jobs": [%q, %q]}`, job.ID, other.ID)).into(http.StatusOK, &released)
	if len(released) != 2 || released[1].Hold {
		t.Errorf("released %+v", released)
	}
	r.send(http.MethodPost, "/api/farm/v1/jobs/hold", fmt.Sprintf(`{"jobs": [%q, %q]}`, job.ID, other.ID)).into(http.StatusOK, &released)
	if len(released) != 2 || !released[0].Hold || !released[1].Hold {
		t.Errorf("held %+v", released)
	}
	r.get("/api/farm/v1/jobs/"+job.ID+"/why").refused(http.StatusOK, "held")
	r.send(http.MethodPost, "/api/farm/v1/jobs/release", `{"jobs": []}`).refused(http.StatusBadRequest, "jobs")
	r.send(http.MethodPost, "/api/farm/v1/jobs/x/release", nil).refused(http.StatusNotFound)
	r.send(http.MethodPatch, "/api/v2/jobs/"+job.ID+"/cancel", nil).into(http.StatusOK, nil)
	r.send(http.MethodPost, "/api/farm/v1/jobs/"+job.ID+"/release", nil).refused(http.StatusConflict, "ended")
	r.send(http.MethodPost, "/api/farm/v1/jobs/"+job.ID+"/hold", nil).refused(http.StatusConflict, "ended")
}

func TestNestedJobsAreAnsweredWithTheirParent(t *testing.T) {
	r := start(t)
	var made struct {
		Status   string
		Children []struct{ ID, Status, OutputURL string }
	}
	job := strings.Replace(srcJob, "}}", `}, "assets": [{"type": "job", "layerName": "bg", "template": {"src": "https://files.example/bg.aep"},
		"assets": [{"type": "job", "layerName": "deep", "template": {"src": "https://files.example/deep.aep"}}]}]}`, 1)
	r.send(http.MethodPost, "/api/v2/jobs", job).into(http.StatusCreated, &made)
	if made.Status != "pending" || len(made.Children) != 1 || made.Children[0].Status != "pending" || !strings.Contains(made.Children[0].OutputURL, made.Children[0].ID) {
		t.Errorf("made %+v", made)
	}
	r.send(http.MethodPost, "/api/v2/jobs/join", `{"assets": [{"type": "video", "src": "https://files.example/a.mp4"}, {"type": "job", "template": {"src": "https://files.example/b.aep"}}], "settings": {"preset": "mp4"}}`).into(http.StatusCreated, &made)
	if made.Status != "pending" || len(made.Children) != 1 || made.Children[0].Status != "queued" {
		t.Errorf("the join is %+v", made)
	}
	r.send(http.MethodPost, "/api/v2/jobs", strings.Replace(srcJob, "}}", `}, "assets": [{"type": "job", "layerName": "bg", "template": {"id": "01NONE"}}]}`, 1)).
		refused(http.StatusNotFound, "assets[0].template")
	var cancelled []jobAnswer
	r.send(http.MethodPatch, "/api/v2/jobs/"+made.Children[0].ID+"/cancel", nil).into(http.StatusOK, &cancelled)
	if len(cancelled) != 2 || cancelled[0].ID != made.Children[0].ID || cancelled[1].TemplateID != nil || cancelled[1].Status != "manually_cancelled" {
		t.Errorf("cancelled %+v", cancelled)
	}
}
