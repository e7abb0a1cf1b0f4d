package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestTheListOfJobsIsNarrowedDownByItsAddress(t *testing.T) {
	r := start(t)
	mine, other := r.submit("art", "Spring spot"), r.submit("pro", "Spring trailer")
	r.submit("zoe", "Spring secret")
	v := r.as("art")
	row := func(id string) string { return `id="job-` + id }
	r.eventually("the index has both jobs", func() bool {
		body := v.get("/jobs?q=spring").body
		return strings.Contains(body, row(mine.ID)) && strings.Contains(body, row(other.ID))
	})
	v.get("/jobs?q=spring&by=art").is(http.StatusOK, row(mine.ID), `value="spring"`).lacks(row(other.ID), "Spring secret")
	v.get("/jobs?by=pro&state=waiting").is(http.StatusOK, row(other.ID), `href="/jobs?by=pro&amp;state=failed"`).lacks(row(mine.ID))
	v.get("/jobs?by=pro&state=failed").is(http.StatusOK, "No job fits this filter")
	v.get("/jobs?from=tomorrow").is(http.StatusOK, row(mine.ID), row(other.ID)) // no day: not asked for
	v.get("/jobs?from=2999-01-01").is(http.StatusOK, "No job fits this filter")
	v.get("/jobs?to=2999-01-01&by=art").is(http.StatusOK, row(mine.ID)).lacks(row(other.ID))
	v.get("/jobs?by=art&cursor=x").is(http.StatusOK, "begin again without it")
	v.get("/jobs?q="+strings.Repeat("a", 201)).is(http.StatusOK, "200 characters")
	v.get("/jobs?by=%3Cscript%3Ealert(1)%3C/script%3E").is(http.StatusOK).lacks("<script>alert")
	r.as("vic").get("/jobs").is(http.StatusOK).lacks(`id="selection"`, "data-pick")
}

func TestTheSameIsDoneWithManyJobs(t *testing.T) {
	r := start(t)
	one, two, three := r.submit("art", "One"), r.submit("art", "Two"), r.submit("pro", "Three")
	foreign := r.submit("zoe", "Foreign")
	v := r.as("art")
	v.post("/jobs/change", url.Values{"do": {"priority"}, "priority": {"7"}, "id": {one.ID, two.ID, foreign.ID, "x"}}).is(http.StatusOK)
	v.post("/jobs/change", url.Values{"do": {"tag"}, "word": {"rush job"}, "id": {one.ID}}).is(http.StatusOK)
	if a := v.post("/jobs/change", url.Values{"do": {"level"}, "level": {"overnight"}, "all": {"1"}, "by": {"pro"}, "state": {"waiting"}}).is(http.StatusOK); a.path != "/jobs?by=pro&state=waiting" {
		t.Errorf("the form leads to %s", a.path)
	}
	for _, c := range []struct {
		id       string
		priority int
		tags     string
		level    string
	}{{one.ID, 7, "rush job", ""}, {two.ID, 7, "", ""}, {three.ID, 0, "", "overnight"}} {
		job, err := r.farm.Job(t.Context(), r.principal("art"), c.id)
		if err != nil {
			t.Fatal(err)
		}
		if job.Priority != c.priority || strings.Join(job.Tags, ",") != c.tags || c.level != "" && string(job.Level) != c.level {
			t.Errorf("job %s has priority %d, tags %q, level %q", job.Name, job.Priority, job.Tags, job.Level)
		}
	}
	if job, err := r.farm.Job(t.Context(), r.principal("zoe"), foreign.ID); err != nil || job.Priority != 0 {
		t.Errorf("another team's job has priority %d, %v", job.Priority, err)
	}
	v.get("/jobs?tag=rush+job&state=waiting").is(http.StatusOK, "job-"+one.ID).lacks("job-" + two.ID)
	v.post("/jobs/change", url.Values{"do": {"cancel"}, "id": {one.ID, three.ID}}).is(http.StatusOK)
	v.get("/jobs?state=cancelled").is(http.StatusOK, "job-"+one.ID, "job-"+three.ID).lacks("job-" + two.ID)
	v.post("/jobs/change", url.Values{"do": {"untag"}, "word": {"rush job"}, "id": {two.ID}}).is(http.StatusOK)
	for _, form := range []url.Values{
		{"do": {"cancel"}}, {"do": {"cancel"}, "id": {"nowhere"}}, {"do": {"priority"}, "priority": {"much"}, "id": {two.ID}},
		{"do": {"level"}, "level": {"high"}, "id": {two.ID}}, {"do": {"tag"}, "word": {" "}, "id": {two.ID}}, {"do": {"burn"}, "id": {two.ID}},
	} {
		v.post("/jobs/change", form).is(http.StatusBadRequest, "Nothing was changed")
	}
	v.get("/jobs/results.zip?id="+two.ID).is(http.StatusNotFound, "None of the selected jobs is finished")
}
