package coordinator_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"overcrank/agent/upload/s3test"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// uploaded renders a job whose result an agent puts elsewhere.
func (s *station) uploaded(upload farm.Upload, how ...func(*farm.RemoteObject)) farm.Job {
	s.r.t.Helper()
	job := s.r.submit(func(j *farm.Job) { j.Upload = &upload })
	to, err := upload.Object(job.ID + ".mp4")
	if err != nil {
		s.r.t.Fatal(err)
	}
	for _, edit := range how {
		edit(&to)
	}
	l := s.lease()
	s.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: farm.OutputRef{
		FileRef: farm.FileRef{SHA256: strings.Repeat("a", 64), Size: 4}, Remote: &to,
	}}})
	s.settled(l.Attempt)
	return s.r.job(job.ID)
}

// TestAResultIsLedToAsItsStorageNamesBuckets covers storage at an address of its own that takes buckets as parts of host names only.
func TestAResultIsLedToAsItsStorageNamesBuckets(t *testing.T) {
	r := open(t)
	mac := r.enrol("mac")
	mac.connect()
	upload := farm.Upload{Provider: "s3", Params: map[string]string{
		"endpoint": "http://storage.test:9000", "region": "r", "bucket": "films", "accessKeyId": "id", "accessKeySecret": "secret",
	}}
	for begins, inHost := range map[string]bool{"http://storage.test:9000/films/": false, "http://films.storage.test:9000/": true} {
		job := mac.uploaded(upload, func(to *farm.RemoteObject) { to.InHost = inHost })
		address, err := r.Results().Elsewhere(t.Context(), job.OutputName, http.MethodGet)
		if err != nil || !strings.HasPrefix(address, begins+job.ID) {
			t.Errorf("the job %s leads to %q, %v", job.Status, address, err)
		}
	}
}

// TestResultElsewhereIsLedTo follows the farm's address of a result into real storage.
func TestResultElsewhereIsLedTo(t *testing.T) {
	storage := s3test.Start(t, "films")
	r := open(t)
	for name, value := range map[string]string{"KEY": s3test.Secret, "WHERE": "drafts"} {
		if _, err := r.Secrets().Put(t.Context(), r.admin, name, farm.NewConfidential(value), nil); err != nil {
			t.Fatal(err)
		}
	}
	mac := r.enrol("mac")
	mac.connect()
	upload := farm.Upload{Provider: "s3", Prefix: "${secrets.WHERE}/a b/", Params: map[string]string{
		"endpoint": "http://" + storage.Address, "region": s3test.Region, "bucket": "films", "accessKeyId": s3test.KeyID, "accessKeySecret": "${secrets.KEY}",
	}}
	job := mac.uploaded(upload)
	if job.Status != farm.JobFinished {
		t.Fatalf("the job is %+v", job)
	}
	_, err := storage.Client.PutObject(t.Context(), "films", "drafts/a b/"+job.ID+".mp4", strings.NewReader("film"), 4, minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		address, err := r.Results().Elsewhere(t.Context(), job.OutputName, method)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(address, s3test.Secret) {
			t.Errorf("the address holds the secret: %s", address)
		}
		req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusOK || resp.ContentLength != 4 || method == http.MethodGet && string(body) != "film" {
			t.Errorf("%s gives %d %q, %v", method, resp.StatusCode, body, err)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()

	upload.OutputURL = "https://cdn.example/films/"
	if address, err := r.Results().Elsewhere(t.Context(), mac.uploaded(upload).OutputName, http.MethodGet); err != nil || !strings.HasPrefix(address, "https://cdn.example/films/") {
		t.Errorf("a job with a public address leads to %q, %v", address, err)
	}

	secrets, err := r.Secrets().List(t.Context(), r.admin)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		if err := r.Secrets().Delete(t.Context(), r.admin, s.ID); err != nil {
			t.Fatal(err)
		}
	}
	_, err = r.Results().Elsewhere(t.Context(), job.OutputName, http.MethodGet)
	wantCode(t, err, farm.CodeGone)
	mac.hangUp()
	mac.connect()
	own := r.submit()
	mac.finish(mac.lease(), "film")
	for _, name := range []string{own.OutputName, "nothing.mp4"} {
		if address, err := r.Results().Elsewhere(t.Context(), name, http.MethodGet); address != "" || err != nil {
			t.Errorf("%s leads to %q, %v", name, address, err)
		}
	}
}
