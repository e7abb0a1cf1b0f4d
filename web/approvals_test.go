package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var askingJob = regexp.MustCompile(`<li class="contact" id="job-([0-9A-Z]{26})"`)

// asking are the jobs on a page of those that wait for approval.
func (a answer) asking() (ids []string) {
	for _, found := range askingJob.FindAllStringSubmatch(a.body, -1) {
		ids = append(ids, found[1])
	}
	return ids
}

func TestAllJobsThatWaitForApprovalAreReachedAndApprovedTogether(t *testing.T) {
	r := asking(t, 70)
	pro := r.as("pro")
	first := pro.get("/approvals").is(http.StatusOK, "1 to 48 of 70", "Approve the 48 jobs shown", `href="/approvals?from=48"`)
	if n := len(first.asking()); n != 48 {
		t.Fatalf("the first page shows %d jobs", n)
	}
	rest := pro.get("/approvals?from=48").is(http.StatusOK, "49 to 70 of 70").asking()
	if len(rest) != 22 {
		t.Fatalf("the second page shows %d jobs", len(rest))
	}
	pro.get("/approvals?from=700").is(http.StatusOK, "49 to 70 of 70")
	pro.get("/approvals?from=-1").is(http.StatusOK, "1 to 48 of 70")

	r.as("vic").get("/approvals").is(http.StatusOK, "1 to 48 of 70").lacks("Approve")
	r.as("vic").post("/approvals", url.Values{"id": rest}).is(http.StatusForbidden)
	pro.post("/approvals", nil).is(http.StatusBadRequest)
	pro.post("/approvals", url.Values{"id": append(rest, first.asking()...)}).is(http.StatusBadRequest)

	after := pro.post("/approvals", url.Values{"id": append(rest, "01ARZ3NDEKTSV4RRFFQ69G5FAV")}).is(http.StatusOK, "Approve the 48 jobs shown")
	for _, id := range after.asking() {
		if strings.Contains(strings.Join(rest, " "), id) {
			t.Errorf("%s still waits after it was approved", id)
		}
	}
	pro.post("/approvals", url.Values{"id": first.asking()}).is(http.StatusOK, "Nothing waits for approval")
}
