package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestAPersonKeepsViewsOfTheListOfJobs(t *testing.T) {
	r := broken(t) // a farm at the newest level
	v := r.as("vic")
	v.get("/jobs").is(http.StatusOK).lacks("Save this view", "Your views")
	v.get("/jobs?state=failed&sort=name").is(http.StatusOK, "Save this view", `name="state" value="failed"`)
	if a := v.post("/jobs/views", url.Values{"name": {" Failed "}, "state": {"failed"}, "sort": {"name"}, "cursor": {"x"}, "other": {"y"}}).is(http.StatusOK,
		`href="/jobs?sort=name&amp;state=failed" aria-current="true" dir="auto">Failed</a>`, "Change this view"); a.path != "/jobs?sort=name&state=failed" {
		t.Errorf("saving a view leads to %s", a.path)
	}
	v.post("/jobs/views", url.Values{"name": {"March"}, "from": {"2026-03-01"}, "zone": {"Europe/Berlin"}, "at": {"2026-03-02"}}).is(http.StatusOK)
	v.get("/machines").is(http.StatusOK, `<a href="/jobs?sort=name&amp;state=failed">Jobs: Failed</a>`, `href="/jobs?from=2026-03-01&amp;zone=Europe%2FBerlin"`)
	r.as("art").get("/jobs").is(http.StatusOK).lacks("Failed</a>", "March")

	v.post("/jobs/views", url.Values{"name": {"<script>alert(1)"}, "was": {"failed"}, "state": {"failed"}, "sort": {"name"}}).is(http.StatusOK, "&lt;script&gt;alert(1)").lacks("<script>alert", ">Failed</a></nav>")
	v.post("/jobs/views", url.Values{"name": {"march"}, "was": {"<script>alert(1)"}, "state": {"failed"}}).is(http.StatusConflict)
	v.post("/jobs/views", url.Values{"name": {"x"}, "was": {"nothing"}}).is(http.StatusNotFound)
	v.post("/jobs/views", url.Values{"name": {""}}).is(http.StatusBadRequest, "has to be one line")
	v.post("/jobs/views", url.Values{"name": {"x"}, "from": {"soon"}}).is(http.StatusBadRequest, "is not a date")
	v.post("/jobs/views", url.Values{"name": {"x"}, "q": {strings.Repeat("w", 3000)}}).is(http.StatusBadRequest)
	v.post("/jobs/views/delete", url.Values{"name": {"nothing"}}).is(http.StatusNotFound)
	v.post("/jobs/views/delete", url.Values{"name": {"MARCH"}}).is(http.StatusOK).lacks("March")
	for i := range 29 {
		v.post("/jobs/views", url.Values{"name": {fmt.Sprint("View ", i)}, "tag": {fmt.Sprint(i)}}).is(http.StatusOK)
	}
	v.post("/jobs/views", url.Values{"name": {"One more"}}).is(http.StatusConflict, "as many as one may have")
}

func TestAPersonSwitchesKeysOfOneLetterOff(t *testing.T) {
	r := broken(t) // a farm at the newest level
	v := r.as("vic")
	const on = `id="single-keys" checked`
	v.get("/jobs").is(http.StatusOK, on, "<kbd>g</kbd><kbd>j</kbd>")
	v.post("/account/keys", url.Values{}).is(http.StatusOK, `name="on" value="1">`)
	v.get("/jobs").is(http.StatusOK, `id="single-keys">`).lacks(on)
	job := r.submit("art", "Spring spot").ID
	v.get("/jobs/"+job+"/review").is(http.StatusOK, `id="single-keys">`).lacks(on, "<kbd>g</kbd>")
	r.as("art").get("/jobs").is(http.StatusOK, on)
	r.as("art").get("/jobs/"+job+"/review").is(http.StatusOK, on)
	v.post("/account/keys", url.Values{"on": {"1"}}).is(http.StatusOK, on)
}
