package api_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// leased waits for the next attempt that the machine gets.
func (m *machine) leased() *wire.Lease {
	m.r.t.Helper()
	for {
		if got := m.hear(); got.Lease != nil {
			return got.Lease
		}
	}
}

// fail reports the next attempt that the machine gets as failed, and gives its job.
func (m *machine) fail(message string, cause farm.Cause) (job string) {
	m.r.t.Helper()
	lease := m.leased()
	m.say(wire.Message{Failed: &wire.Failed{Attempt: lease.Attempt, Message: message, Class: farm.FailureDeterministic, Cause: cause}})
	for settled := false; !settled; {
		settled = m.hear().Settled != nil
	}
	return lease.Job
}

// failureAnswer is what tests read of the failures of one cause.
type failureAnswer struct {
	Cause, Kind, LatestJob string
	Subject, AgentID       *string
	Count                  int
}

const pathFailures = "/api/farm/v1/failures"

func (r *rig) failures() (groups []failureAnswer) {
	r.t.Helper()
	r.get(pathFailures).into(http.StatusOK, &groups)
	return groups
}

func TestFailedJobsAreSubmittedAgainByTheirCause(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	m := r.enrol("suite-1")
	m.connect()
	const message = `the font "Go Bold" is missing`
	cause := farm.Cause{Kind: farm.CauseFont, Subject: "Go Bold"}
	job := r.submit(`{"template": {"id": "` + r.given(project(t, 1), "uploaded") + `", "composition": "main"}}`)
	if failed := m.fail(message, cause); failed != job.ID {
		t.Fatalf("the job %s failed, want %s", failed, job.ID)
	}
	groups := r.failures()
	if len(groups) != 1 || groups[0].Cause != cause.Key() || groups[0].Kind != "font" || groups[0].Subject == nil || *groups[0].Subject != cause.Subject ||
		groups[0].Count != 1 || groups[0].LatestJob != job.ID || groups[0].AgentID == nil || *groups[0].AgentID != m.self.AgentID {
		t.Fatalf("the failures are %+v", groups)
	}
	var jobs []struct{ ID, Error string }
	r.get(pathFailures+"/jobs?cause="+url.QueryEscape(cause.Key())).into(http.StatusOK, &jobs)
	if len(jobs) != 1 || jobs[0].ID != job.ID || !strings.Contains(jobs[0].Error, message) {
		t.Errorf("the jobs of the cause are %+v", jobs)
	}

	r.send(http.MethodPost, pathFailures+"/retry", `{"cause": "font:Go Italic"}`).refused(http.StatusNotFound)
	var retried struct {
		BatchID       string
		Jobs, Refused int
	}
	r.send(http.MethodPost, pathFailures+"/retry", `{"cause": "font:Go Bold"}`).into(http.StatusCreated, &retried)
	if retried.BatchID == "" || retried.Jobs != 1 || retried.Refused != 0 {
		t.Errorf("the retry came to %+v", retried)
	}
	again := m.leased().Job
	var now struct{ BatchID *string }
	r.get("/api/farm/v1/jobs/"+again).into(http.StatusOK, &now)
	if again == job.ID || now.BatchID == nil || *now.BatchID != retried.BatchID {
		t.Errorf("the machine gets the job %s of the batch %v, want a new one of the batch %s", again, now.BatchID, retried.BatchID)
	}
	if groups := r.failures(); len(groups) != 0 {
		t.Errorf("after the retry the failures are %+v", groups)
	}
	r.send(http.MethodPost, pathFailures+"/retry", `{"cause": "font:Go Bold"}`).refused(http.StatusNotFound)
}

func TestAFailedJobThatIsNoLongerKeptStaysOnTheList(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	m := r.enrol("suite-1")
	m.connect()
	job := r.submit(srcJob) // the farm keeps nothing of a project from outside
	m.fail("the font is missing", farm.Cause{Kind: farm.CauseFont, Subject: "Client Sans"})
	listed := func() {
		t.Helper()
		if groups := r.failures(); len(groups) != 1 || groups[0].Cause != "font:" || groups[0].Subject != nil || groups[0].LatestJob != job.ID {
			t.Errorf("the failures are %+v", groups)
		}
	}
	listed()
	r.send(http.MethodPost, pathFailures+"/retry", `{"cause": "font:"}`).refused(http.StatusConflict, "no longer kept")
	listed()
	r.send(http.MethodPost, pathFailures+"/dismiss", `{"jobs": ["`+job.ID+`"]}`).into(http.StatusNoContent, nil)
	if groups := r.failures(); len(groups) != 0 {
		t.Errorf("after it was dismissed the failures are %+v", groups)
	}
}

func TestRatesAreReadBack(t *testing.T) {
	r := start(t)
	leveled(r, r.token)
	const rates = "/api/farm/v1/rates"
	type tag struct {
		Tag     string
		PerHour float64
	}
	type answer struct {
		Revision     int
		Currency, By *string
		PerHour      float64
		Tags         []tag
		At           *time.Time
	}
	var before, set, read answer
	r.get(rates).into(http.StatusOK, &before)
	body := map[string]any{"revision": before.Revision, "currency": "EUR", "perHour": 1.5, "tags": []map[string]any{{"tag": "gpu", "perHour": 4}}}
	r.send(http.MethodPut, rates, body).into(http.StatusOK, &set)
	r.get(rates).into(http.StatusOK, &read)
	for name, got := range map[string]answer{"the answer": set, "what is read": read} {
		if got.Revision <= before.Revision || got.Currency == nil || *got.Currency != "EUR" || got.PerHour != 1.5 ||
			!slices.Equal(got.Tags, []tag{{"gpu", 4}}) || got.By == nil || *got.By != "admin" || got.At == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	r.send(http.MethodPut, rates, body).refused(http.StatusConflict)
}
