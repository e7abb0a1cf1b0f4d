package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestWhatIsFoundLeadsToItsPage(t *testing.T) {
	r := start(t)
	job := r.submit("art", "Spring <spot>")
	r.submit("zoe", "Spring secret")
	v := r.as("vic")
	r.eventually("the job is found", func() bool {
		return strings.Contains(v.get("/search?q=SPRING").body, "/jobs/"+job.ID)
	})
	v.get("/search?q=spring").is(http.StatusOK, `href="/jobs/`+job.ID, "Spring &lt;spot&gt;", "Jobs").lacks("secret", "Still indexing")
	v.get("/search/found?q=sp").is(http.StatusOK, `href="/jobs/`+job.ID).lacks("secret", "<html")
	v.get("/search?q=autumn").is(http.StatusOK, "Nothing found")
	v.get("/search?q=spring&kind=template").is(http.StatusOK, "Nothing found", `href="/search?q=spring"`)
	v.get("/search").is(http.StatusOK, "Latest jobs", "/jobs/"+job.ID, "What can be found", `href="/search?q=Spring+%3Cspot%3E"`).lacks("Nothing found", "secret", "by name and role")
	r.as("art").get("/search").is(http.StatusOK, "Your latest jobs")
	v.get("/search?q="+strings.Repeat("a", 201)).is(http.StatusOK, "200 characters")
	r.visit().get("/search/found?q=spring").lacks("spot")

	r.as("ada").post("/settings/people", url.Values{"name": {"Vera Meadow"}, "role": {"viewer"}, "life": {""}}).is(http.StatusOK)
	r.eventually("people are found", func() bool { return strings.Contains(r.as("ada").get("/search?q=vera").body, "Vera Meadow") })
	r.as("ada").get("/search?q=vera").is(http.StatusOK, `href="/settings/people#token-`, `href="/jobs?by=Vera+Meadow"`)
	r.as("art").get("/search/found?q=vera").is(http.StatusOK, `href="/jobs?by=Vera+Meadow"`).lacks("/settings/people", "viewer")
}
