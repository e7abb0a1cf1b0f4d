package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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

// TestAWebhookIsCalledAndCalledAgain checks the signature as a receiver would.
func TestAWebhookIsCalledAndCalledAgain(t *testing.T) {
	r := start(t)
	var key struct{ Key string }
	r.get("/api/farm/v1/webhook-key").into(http.StatusOK, &key)
	calls, answers := make(chan string), make(chan int)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		mac := hmac.New(sha256.New, []byte(key.Key))
		mac.Write(body)
		signed := err == nil && req.Header.Get("X-Signature") == "sha256="+hex.EncodeToString(mac.Sum(nil))
		calls <- fmt.Sprint(req.Method, " ", string(body), " ", signed, " ", req.Header.Get("X-Delivery-Id"))
		w.WriteHeader(<-answers)
	}))
	defer receiver.Close()
	m := r.enrol("suite-1")
	m.connect()
	job := r.submit(strings.Replace(srcJob, "{", `{"webhook": {"url": "`+receiver.URL+`", "data": {"a": 1}, "custom": true}, `, 1))
	m.finish([]byte("film"))

	path := "/api/farm/v1/jobs/" + job.ID + "/delivery"
	want := `POST {"a":1} true ` + job.ID
	if got := <-calls; got != want {
		t.Errorf("the receiver got %q, want %q", got, want)
	}
	r.send(http.MethodPost, path, nil).refused(http.StatusConflict)
	answers <- http.StatusNoContent
	var now struct {
		Status string
		Tries  int
	}
	delivered := func() bool {
		r.get(path).into(http.StatusOK, &now)
		return now.Status == "delivered"
	}
	r.eventually("the delivery ends", delivered)
	r.send(http.MethodPost, path, nil).into(http.StatusOK, &now)
	if now.Status != "pending" {
		t.Errorf("a delivery that begins anew is %+v", now)
	}
	if got := <-calls; got != want {
		t.Errorf("the receiver got %q again, want %q", got, want)
	}
	answers <- http.StatusOK
	r.eventually("the second delivery ends", delivered)
}
