package api_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestWebhooksOfJobs(t *testing.T) {
	r := start(t)
	hooked := strings.Replace(srcJob, "{", `{"webhook": {"url": "https://hook.example/x", "method": "PUT", "headers": {"X-A": "b"}, "data": {"a": 1}, "custom": true}, `, 1)
	job := r.submit(hooked)
	path := "/api/farm/v1/jobs/" + job.ID + "/delivery"
	r.get(path).refused(http.StatusNotFound, "is called when the job has finished or failed")
	r.send(http.MethodPost, path, nil).refused(http.StatusNotFound)
	r.get("/api/farm/v1/jobs/"+r.submit(srcJob).ID+"/delivery").refused(http.StatusNotFound, "has no webhook")

	var key, again, renewed struct{ Key string }
	r.get("/api/farm/v1/webhook-key").into(http.StatusOK, &key)
	r.get("/api/farm/v1/webhook-key").into(http.StatusOK, &again)
	r.send(http.MethodPost, "/api/farm/v1/webhook-key", nil).into(http.StatusCreated, &renewed)
	if key.Key == "" || key != again || renewed == key {
		t.Errorf("keys %q, %q, %q", key.Key, again.Key, renewed.Key)
	}
}
