package coordinator_test

import (
	"testing"
	"time"

	"overcrank/coordinator/state"
	"overcrank/farm"
)

// begin begins a request whose body is its hash.
func (r *rig) begin(key, body string) *state.Request {
	r.t.Helper()
	request, err := r.Requests().Begin(r.t.Context(), r.admin, key, func(int64) (string, int64, error) { return body, int64(len(body)), nil })
	if err != nil {
		r.t.Fatal(err)
	}
	return request
}

func (r *rig) submitFor(request *state.Request) (farm.Job, error) {
	defer request.End()
	return r.Submit(state.WithRequest(r.t.Context(), request), r.admin, farm.Job{Template: inner})
}

func TestARequestIsKeptForADay(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	first := r.begin("k", "body")
	job, err := r.submitFor(first)
	if err != nil {
		t.Fatal(err)
	}
	c.pass(23 * time.Hour)
	if err := r.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if again, err := r.submitFor(r.begin("k", "body")); err != nil || again.ID != job.ID {
		t.Errorf("after 23 hours and a restart came %s, want %s (%v)", again.ID, job.ID, err)
	}
	_, err = r.submitFor(r.begin("k", "another body"))
	wantCode(t, err, farm.CodeConflict)
	c.pass(time.Hour)
	if request := r.begin("k", "another body"); request.Repeated() {
		t.Error("after a day the request is still there")
	} else if fresh, err := r.submitFor(request); err != nil || fresh.ID == job.ID {
		t.Errorf("after a day came %s (%v)", fresh.ID, err)
	}
	c.pass(25 * time.Hour)
	if err := r.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	request := r.begin("k", "body")
	request.End()
	if request.Repeated() {
		t.Error("a forgotten request is still there")
	}
}

func TestAnswersAreKeptSealed(t *testing.T) {
	r := open(t)
	request := r.begin("k", "body")
	if _, err := r.submitFor(request); err != nil {
		t.Fatal(err)
	}
	want := state.Answer{Status: 201, ContentType: "application/json", Body: []byte(`{"id":"x"}`)}
	if err := request.Keep(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	r.restart()
	again := r.begin("k", "body")
	defer again.End()
	got, err := again.Answered()
	if err != nil || got == nil || got.Status != want.Status || got.ContentType != want.ContentType || string(got.Body) != string(want.Body) {
		t.Errorf("kept is %+v, %v", got, err)
	}
}

func TestAnAnswerTooLongToKeepIsMadeAgain(t *testing.T) {
	r := open(t)
	request := r.begin("k", "body")
	job, err := r.submitFor(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := request.Keep(t.Context(), state.Answer{Status: 201, Body: noise(1, 2<<20)}); err != nil {
		t.Fatal(err)
	}
	again := r.begin("k", "body")
	if answer, err := again.Answered(); answer != nil || err != nil {
		t.Errorf("kept is %v, %v", answer, err)
	}
	if got, err := r.submitFor(again); err != nil || got.ID != job.ID {
		t.Errorf("made again is %s, want %s (%v)", got.ID, job.ID, err)
	}
}

func TestASecondRequestWaitsForTheFirst(t *testing.T) {
	r := open(t)
	first := r.begin("k", "body")
	second := make(chan *state.Request)
	go func() { second <- r.begin("k", "body") }()
	job, err := r.submitFor(first)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.submitFor(<-second); err != nil || again.ID != job.ID {
		t.Errorf("the second made %s, the first %s (%v)", again.ID, job.ID, err)
	}
}
