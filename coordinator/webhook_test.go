package coordinator_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/wire"
)

// heard is one delivery as a receiver got it.
type heard struct {
	method, path string
	header       http.Header
	body         string
}

// receiver is a real receiver of webhooks, which answers as a test says.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	calls []heard
}

func listen(t testing.TB, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		r.calls = append(r.calls, heard{req.Method, req.URL.String(), req.Header.Clone(), string(body)})
		r.mu.Unlock()
		answer(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) heard() []heard {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]heard(nil), r.calls...)
}

func taken(http.ResponseWriter, *http.Request) {}

func answering(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// finished submits a job with a webhook and renders it.
func (s *station) finished(hook farm.Webhook) farm.Job {
	s.r.t.Helper()
	job := s.r.submit(func(j *farm.Job) { j.Webhook = &hook })
	s.finish(s.lease(), "film")
	return job
}

// delivery waits until the webhook of a job has ended.
func (r *rig) delivery(job string) farm.Delivery {
	r.t.Helper()
	var d farm.Delivery
	r.eventually("the webhook's delivery ends", func() bool {
		var err error
		d, err = r.Webhooks().Delivery(r.admin, job)
		return err == nil && !d.EndedAt.IsZero()
	})
	return d
}

func describe(job farm.Job, address string, data json.RawMessage) ([]byte, error) {
	return json.Marshal(map[string]any{"id": job.ID, "status": job.Status, "progress": job.Progress, "outputUrl": address, "data": data})
}

func TestWebhookTellsOfTheJob(t *testing.T) {
	r := open(t)
	hook := listen(t, taken)
	mac := r.enrol("mac")
	mac.connect()
	for _, method := range []string{"", "GET", "PUT", "DELETE"} {
		job := mac.finished(farm.Webhook{URL: hook.URL + "/done?a=b", Method: method, Headers: map[string]string{"X-Mine": "yes", "Authorization": "Bearer z"}, Data: json.RawMessage(`{"n": 1.50}`)})
		if d := r.delivery(job.ID); d.Error != "" || d.Tries != 1 {
			t.Fatalf("%s: %+v", method, d)
		}
		calls := hook.heard()
		got := calls[len(calls)-1]
		if method == "" {
			method = "POST"
		}
		want, err := describe(r.job(job.ID), publicAddress+"/outputs/"+job.OutputName, json.RawMessage(`{"n": 1.50}`))
		if err != nil {
			t.Fatal(err)
		}
		if got.method != method || got.path != "/done?a=b" || got.body != string(want) || !strings.Contains(got.body, `"progress":100`) {
			t.Errorf("got %+v, want %s", got, want)
		}
		key, err := r.Webhooks().Key(t.Context(), r.admin)
		if err != nil {
			t.Fatal(err)
		}
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(got.body))
		for name, want := range map[string]string{
			"X-Mine": "yes", "Authorization": "Bearer z", "X-Delivery-Id": job.ID, "Content-Type": "application/json",
			"X-Signature": "sha256=" + hex.EncodeToString(mac.Sum(nil)),
		} {
			if got.header.Get(name) != want {
				t.Errorf("%s: header %s is %q, want %q", method, name, got.header.Get(name), want)
			}
		}
		if !strings.HasPrefix(got.header.Get("User-Agent"), "overcrank") {
			t.Errorf("sent by %q", got.header.Get("User-Agent"))
		}
		r.eventually("the log tells", func() bool { return strings.Contains(r.log(job.ID), "webhook: delivered, the receiver answered 200") })
	}
	job := mac.finished(farm.Webhook{URL: hook.URL, Custom: true, Data: json.RawMessage(`[1,"two"]`)})
	r.delivery(job.ID)
	if calls := hook.heard(); calls[len(calls)-1].body != `[1,"two"]` {
		t.Errorf("a custom webhook carried %q", calls[len(calls)-1].body)
	}
	job = mac.finished(farm.Webhook{URL: hook.URL, Custom: true})
	r.delivery(job.ID)
	if calls := hook.heard(); !strings.Contains(calls[len(calls)-1].body, job.ID) {
		t.Errorf("a custom webhook without data carried %q instead of the job", calls[len(calls)-1].body)
	}
}

func TestANestedJobsOwnWebhookIsCalled(t *testing.T) {
	r := open(t)
	hook := listen(t, taken)
	mac := r.enrol("mac")
	mac.connect()
	child := farm.Job{Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}, Webhook: &farm.Webhook{URL: hook.URL}}
	parent := r.submit(func(j *farm.Job) {
		j.Assets = append(j.Assets, farm.Asset{Type: "job", LayerName: "x", Nested: &child})
	})
	l := mac.lease()
	if l.Job == parent.ID {
		t.Fatal("the parent came before its child")
	}
	mac.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: mac.render(l, "film")}})
	// The parent's lease may come before the word that the child is settled.
	r.delivery(l.Job)
	if calls := hook.heard(); len(calls) != 1 || !strings.Contains(calls[0].body, l.Job) {
		t.Errorf("the child's webhook was called as %+v", calls)
	}
}

func TestWebhookTellsOfFailureButNotOfCancelling(t *testing.T) {
	r := open(t)
	hook := listen(t, taken)
	cancelled := r.submit(func(j *farm.Job) { j.Webhook = &farm.Webhook{URL: hook.URL}; j.Hold = true })
	if _, err := r.CancelJobs(t.Context(), r.admin, []string{cancelled.ID}, false); err != nil {
		t.Fatal(err)
	}
	mac := r.enrol("mac")
	mac.connect()
	failed := r.submit(func(j *farm.Job) { j.Webhook = &farm.Webhook{URL: hook.URL} })
	mac.fail(mac.lease(), "Layer 'x' not found", false)
	r.delivery(failed.ID)
	_, err := r.Webhooks().Delivery(r.admin, cancelled.ID)
	wantCode(t, err, farm.CodeNotFound)
	_, err = r.Webhooks().Delivery(farm.Principal{Team: "other"}, failed.ID)
	wantCode(t, err, farm.CodeNotFound)
	calls := hook.heard()
	if len(calls) != 1 || !strings.Contains(calls[0].body, `"status":"error"`) {
		t.Errorf("heard %+v", calls)
	}
}

func TestWebhookIsTriedAgainAtItsTimes(t *testing.T) {
	now := newClock()
	r := open(t, now.config)
	hook := listen(t, answering(http.StatusInternalServerError))
	mac := r.enrol("mac")
	mac.connect()
	job := mac.finished(farm.Webhook{URL: hook.URL})
	for try, about := range []time.Duration{time.Second, 4 * time.Second, 16 * time.Second} {
		var d farm.Delivery
		r.eventually(fmt.Sprintf("try %d is kept", try+1), func() bool {
			d, _ = r.Webhooks().Delivery(r.admin, job.ID)
			return d.Tries == try+1
		})
		if pause := d.Next.Sub(d.TriedAt); pause < about*3/4 || pause > about*5/4 || d.Error != "the receiver answered 500" {
			t.Errorf("after try %d: %+v", try+1, d)
		}
		now.pass(about * 5 / 4)
	}
	if d := r.delivery(job.ID); d.Tries != 4 || d.Error != "the receiver answered 500" {
		t.Errorf("at the end: %+v", d)
	}
	calls := hook.heard()
	if len(calls) != 4 {
		t.Fatalf("%d calls", len(calls))
	}
	for _, call := range calls[1:] {
		if call.body != calls[0].body || call.header.Get("X-Delivery-Id") != calls[0].header.Get("X-Delivery-Id") || call.header.Get("X-Signature") != calls[0].header.Get("X-Signature") {
			t.Errorf("a later try sent %+v", call)
		}
	}
	r.eventually("the log tells", func() bool { return strings.Contains(r.log(job.ID), "webhook: given up after try 4") })

	if d, err := r.Webhooks().Redeliver(t.Context(), r.admin, job.ID); err != nil || !d.EndedAt.IsZero() {
		t.Fatalf("delivered anew: %+v, %v", d, err)
	}
	r.eventually("the receiver is called again", func() bool { return len(hook.heard()) == 5 })
}

func TestFaultyReceivers(t *testing.T) {
	t.Parallel() // one of them takes its full time
	r := open(t)
	mac := r.enrol("mac")
	mac.connect()
	hung := make(chan struct{})
	t.Cleanup(func() { close(hung) })
	hang := func(_ http.ResponseWriter, req *http.Request) {
		select {
		case <-req.Context().Done():
		case <-hung:
		}
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.(*net.TCPConn).SetLinger(0) // it is closed with a reset
		_ = conn.Close()
	}
	dribble := func(w http.ResponseWriter, req *http.Request) {
		for req.Context().Err() == nil {
			if _, err := io.WriteString(w, "."); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			pauseOr(req, hung)
		}
	}
	flood := func(w http.ResponseWriter, req *http.Request) {
		block := strings.Repeat("x", 1<<20)
		for req.Context().Err() == nil {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	}
	redirect := func(status int, to string) http.HandlerFunc {
		return func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/" {
				http.Redirect(w, req, to, status)
			}
		}
	}
	other := listen(t, taken)
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		want   string // "" when it counts as delivered
	}{
		"hangs":                        {hang, "did not answer within 10s"},
		"resets":                       {cut, "closed the connection"},
		"answers 404":                  {answering(404), "answered 404"},
		"answers 304":                  {answering(304), "answered 304"},
		"answers 204":                  {answering(204), ""},
		"drips for ever behind 200":    {dribble, ""},
		"floods behind 200":            {flood, ""},
		"redirects and keeps the body": {redirect(308, "/there"), ""},
		"redirects to another host":    {redirect(307, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)), ""},
		"redirects and loses the body": {redirect(302, "/there"), "would lose the body"},
		"redirects to metadata":        {redirect(307, "http://169.254.169.254/latest"), "not allowed"},
		"redirects for ever":           {redirect(307, "/"), "redirects more than"},
	} {
		t.Run(name, func(t *testing.T) {
			hook := listen(t, tc.answer)
			job := mac.finished(farm.Webhook{URL: hook.URL, Headers: map[string]string{"X-Secret": "mine"}})
			var d farm.Delivery
			r.eventually("the first try is kept", func() bool {
				d, _ = r.Webhooks().Delivery(r.admin, job.ID)
				return d.Tries > 0
			})
			if tc.want == "" && d.Error != "" || !strings.Contains(d.Error, tc.want) || strings.Contains(d.Error, "http://") {
				t.Errorf("got %+v, want %q", d, tc.want)
			}
		})
	}
	for _, call := range other.heard() {
		if call.header.Get("X-Secret") != "" || call.header.Get("X-Signature") == "" || call.header.Get("Referer") != "" || !strings.Contains(call.body, "finished") {
			t.Errorf("another host than the caller's heard %+v", call)
		}
	}
	if len(other.heard()) == 0 {
		t.Error("the redirect to another host was not followed")
	}
}

// pauseOr lets a slow receiver be slow until the request or the test ends.
func pauseOr(req *http.Request, ends chan struct{}) {
	select {
	case <-req.Context().Done():
	case <-ends:
	case <-time.After(50 * time.Millisecond):
	}
}

func TestForbiddenReceiverIsGivenUpAtOnce(t *testing.T) {
	policy, err := address.ParsePolicy(nil, []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, func(cfg *coordinator.Config) { cfg.Addresses = policy })
	hook := listen(t, taken)
	mac := r.enrol("mac")
	mac.connect()
	if _, err := r.Secrets().Put(t.Context(), r.admin, "HOOK", farm.NewConfidential(hook.URL), nil); err != nil {
		t.Fatal(err)
	}
	job := mac.finished(farm.Webhook{URL: "${secrets.HOOK}"}) // whose address is not seen at submission
	if d := r.delivery(job.ID); d.Tries != 1 || !strings.Contains(d.Error, "not allowed") || len(hook.heard()) != 0 {
		t.Errorf("got %+v", d)
	}
}

func TestSlowReceiverHoldsNobodyUp(t *testing.T) {
	r := open(t)
	mac := r.enrol("mac")
	mac.connect()
	release := make(chan struct{})
	slow := listen(t, func(_ http.ResponseWriter, req *http.Request) {
		select {
		case <-release:
		case <-req.Context().Done():
		}
	})
	quick := listen(t, taken)
	var stuck []farm.Job
	for range 20 {
		stuck = append(stuck, mac.finished(farm.Webhook{URL: slow.URL}))
	}
	job := mac.finished(farm.Webhook{URL: quick.URL})
	if d := r.delivery(job.ID); d.Error != "" {
		t.Errorf("got %+v", d)
	}
	if n := len(slow.heard()); n > 8 {
		t.Errorf("%d deliveries to one host at once", n)
	}
	close(release)
	for _, job := range stuck {
		if d := r.delivery(job.ID); d.Error != "" {
			t.Errorf("got %+v", d)
		}
	}
}

// TestWebhooksSurviveARestart stops the farm while a delivery is under way and one waits for its next try.
func TestWebhooksSurviveARestart(t *testing.T) {
	now := newClock()
	r := open(t, now.config)
	mac := r.enrol("mac")
	mac.connect()
	first := make(chan struct{})
	var once sync.Once
	hung := listen(t, func(_ http.ResponseWriter, req *http.Request) {
		again := true
		once.Do(func() { again = false; close(first) })
		if !again {
			<-req.Context().Done()
		}
	})
	var broken sync.Once
	flaky := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		broken.Do(func() { w.WriteHeader(http.StatusBadGateway) })
	})
	underWay, waiting := mac.finished(farm.Webhook{URL: hung.URL}), mac.finished(farm.Webhook{URL: flaky.URL})
	<-first
	r.eventually("the other one waits", func() bool {
		d, err := r.Webhooks().Delivery(r.admin, waiting.ID)
		return err == nil && d.Tries == 1
	})
	mac.hangUp()
	r.cfg.PublicAddress = "http://another.farm.test" // as that of another coordinator, which leads from now on
	r.restart()
	now.pass(10 * time.Second)
	for _, id := range []string{underWay.ID, waiting.ID} {
		if d := r.delivery(id); d.Error != "" {
			t.Errorf("got %+v", d)
		}
	}
	for _, calls := range [][]heard{hung.heard(), flaky.heard()} {
		if len(calls) != 2 || calls[0].body != calls[1].body || calls[0].header.Get("X-Delivery-Id") != calls[1].header.Get("X-Delivery-Id") {
			t.Errorf("heard %+v", calls)
		}
	}
	if d := r.delivery(underWay.ID); d.Tries != 1 {
		t.Errorf("the try that the stop cut off counts: %+v", d)
	}
}

func TestWebhookKeyIsTheTeamsOwnAndCanBeRenewed(t *testing.T) {
	r := open(t)
	key := func(team string) string {
		key, err := r.Webhooks().Key(t.Context(), farm.Principal{Team: team, Role: farm.RoleProducer})
		if err != nil || !strings.HasPrefix(key, "ocw_") || len(key) < 40 {
			t.Fatalf("got %q, %v", key, err)
		}
		return key
	}
	before := key(r.admin.Team)
	if before == key("another") {
		t.Error("two teams share a key")
	}
	r.restart()
	if key(r.admin.Team) != before {
		t.Error("the key has changed by itself")
	}
	after, err := r.Webhooks().RenewKey(t.Context(), r.admin)
	if err != nil || after == before || after != key(r.admin.Team) {
		t.Errorf("renewed to %q, %v", after, err)
	}
}
