package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestAJobIsMovedInTheQueue(t *testing.T) {
	r := start(t)
	first, second, third := r.submit("ada", "First <spot>"), r.submit("art", "Second"), r.submit("ada", "Third")
	v := r.as("art")
	inLine := func() string {
		page := v.get("/queue").body
		order := []string{"First", "Second", "Third"}
		at := func(name string) int { return strings.Index(page, "Move "+name) }
		for i := range order {
			for j := i + 1; j < len(order); j++ {
				if at(order[j]) < at(order[i]) {
					order[i], order[j] = order[j], order[i]
				}
			}
		}
		return strings.Join(order, " ")
	}
	r.eventually("three jobs stand in line", func() bool { return strings.Count(v.get("/queue").body, "data-grip") == 3 })
	if got := inLine(); got != "First Second Third" {
		t.Fatalf("the line is %s", got)
	}
	ask := "/queue/move?job=" + third.ID + "&before=" + first.ID
	v.get(ask).is(http.StatusOK, "“Third” goes before 2 jobs", "1 of ada", "1 of art", "Priority 1.")
	if got := inLine(); got != "First Second Third" {
		t.Fatalf("asking has moved it: %s", got)
	}
	v.post("/queue/move", url.Values{"job": {third.ID}, "before": {first.ID}}).is(http.StatusOK)
	r.eventually("the third job is first in line", func() bool { return inLine() == "Third First Second" })
	v.post("/queue/move", url.Values{"job": {first.ID}, "after": {second.ID}}).is(http.StatusOK)
	r.eventually("the first job is last", func() bool { return inLine() == "Third Second First" })

	v.get("/queue/move?job="+third.ID).is(http.StatusNotFound, "not in line any more")
	v.post("/queue/move", url.Values{"job": {"gone"}, "before": {first.ID}}).is(http.StatusNotFound)
	r.as("vic").get("/queue").is(http.StatusOK, "Third").lacks("data-grip", "draggable", "queue.js")
	r.as("vic").post("/queue/move", url.Values{"job": {third.ID}, "after": {first.ID}}).is(http.StatusForbidden)
	r.as("zoe").post("/queue/move", url.Values{"job": {third.ID}, "after": {first.ID}}).is(http.StatusNotFound)
}

func TestAJobInLineIsCalledAsEverywhere(t *testing.T) {
	r := start(t)
	job := r.submit("art", "")
	r.as("art").get("/queue").is(http.StatusOK, `href="/jobs/`+job.ID+`" dir="auto">main</a>`, "Move main: arrow keys").lacks("Job " + job.ID)
}
