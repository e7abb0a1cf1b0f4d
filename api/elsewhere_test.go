package api_test

import (
	"net/http"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestResultsElsewhereAreLedTo(t *testing.T) {
	r := start(t)
	r.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var secret struct{ ID string }
	r.send(http.MethodPut, "/api/v2/secrets", `{"name": "BUCKET_KEY", "value": "hidden"}`).into(http.StatusCreated, &secret)
	job := r.submit(strings.Replace(srcJob, "{", `{"upload": {"provider": "s3", "prefix": "films/", "params": {"endpoint": "http://storage:9000",
		"region": "r", "bucket": "bucket", "accessKeyId": "id", "accessKeySecret": "${secrets.BUCKET_KEY}"}}, `, 1))
	m := r.enrol("suite-1")
	m.connect()
	lease := m.hear().Lease
	r.get(job.OutputURL).refused(http.StatusNotFound)
	to := farm.RemoteObject{Endpoint: "storage:9000", Region: "r", Bucket: "bucket", Key: "films/" + job.ID + ".mp4", Insecure: true}
	m.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: farm.OutputRef{
		FileRef: farm.FileRef{SHA256: strings.Repeat("a", 64), Size: 4}, Remote: &to,
	}}})
	m.hear()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		got := r.send(method, job.OutputURL, nil, "Authorization:").into(http.StatusTemporaryRedirect, nil)
		location := got.header.Get("Location")
		if !strings.HasPrefix(location, "http://storage:9000/bucket/films/"+job.ID+".mp4?") || !strings.Contains(location, "X-Amz-Signature=") || strings.Contains(location, "hidden") {
			t.Errorf("%s leads to %q", method, location)
		}
	}
	r.send(http.MethodDelete, "/api/v2/secrets/"+secret.ID, nil).into(http.StatusOK, nil)
	r.get(job.OutputURL).refused(http.StatusGone, "uploaded elsewhere")
}
