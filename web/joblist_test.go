package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/submission"
	"overcrank/farm"
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
	v.get("/jobs?from=2999-01-01").is(http.StatusOK, "No job fits this filter")
	v.get("/jobs?to=2999-01-01&by=art").is(http.StatusOK, row(mine.ID)).lacks(row(other.ID))
	v.get("/jobs?by=art&cursor=x").is(http.StatusOK, "begin again without it")
	v.get("/jobs?q="+strings.Repeat("a", 201)).is(http.StatusOK, "200 characters")
	v.get("/jobs?by=%3Cscript%3Ealert(1)%3C/script%3E").is(http.StatusOK).lacks("<script>alert")
	r.as("vic").get("/jobs").is(http.StatusOK).lacks(`id="selection"`, "data-pick")
}

func TestDaysAreThoseOfTheReadersTimeZone(t *testing.T) {
	r := start(t)
	job := r.submit("art", "Late show")
	v, row := r.as("art"), `id="job-`+job.ID
	r.eventually("the index has the job", func() bool { return strings.Contains(v.get("/jobs?by=art").body, row) })
	// The job's own minute, and the day around it, in zones that are half a world apart.
	for _, zone := range []string{"", "UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"} {
		place, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		local := job.CreatedAt.In(place)
		day, minute := local.Format(time.DateOnly), local.Format("2006-01-02T15:04")
		before, after := local.AddDate(0, 0, -1).Format(time.DateOnly), local.AddDate(0, 0, 1).Format(time.DateOnly)
		of := "&zone=" + url.QueryEscape(zone)
		v.get("/jobs?from="+day+"&to="+day+of).is(http.StatusOK, row)
		v.get("/jobs?from="+minute+"&to="+minute+of).is(http.StatusOK, row, `type="datetime-local"`)
		v.get("/jobs?at="+day+of).is(http.StatusOK, row, ">Newest</a>")
		v.get("/jobs?at="+minute+"&by=art"+of).is(http.StatusOK, row)
		v.get("/jobs?at=" + before + of).is(http.StatusOK).lacks(row)
		v.get("/jobs?from="+after+of).is(http.StatusOK, "No job fits this filter")
		v.get("/jobs?to="+before+of).is(http.StatusOK, "No job fits this filter")
	}
	v.get("/jobs?from=2026-01-01&zone=Europe/Berlin").is(http.StatusOK, "Dates are in the time zone Europe/Berlin.", `name="zone" value="Europe/Berlin"`)
	v.get("/jobs?zone=Mars/Base").is(http.StatusOK, row).lacks("time zone") // nothing is read in it
	for address, says := range map[string]string{
		"from=tomorrow":                     "From: &#34;tomorrow&#34; is not a date",
		"to=2026-02-30":                     "To: &#34;2026-02-30&#34; is not a date",
		"at=soon":                           "Go to date: &#34;soon&#34; is not a date",
		"from=2026-01-01&zone=Mars/Base":    "&#34;Mars/Base&#34; is not a time zone",
		"from=2026-01-01&zone=Local":        "&#34;Local&#34; is not a time zone",
		"from=2026-01-01&zone=../etc/x":     "is not a time zone",
		"from=2026-03-02&to=2026-03-01":     "2026-03-01 is before 2026-03-02",
		"at=%3Cscript%3Ealert(1)%3C/script": "is not a date",
	} {
		v.get("/jobs?"+address).is(http.StatusOK, says).lacks(row, "<script>alert")
	}
	// What is done with all that match is not done with everything because a day was mistyped.
	v.post("/jobs/change", url.Values{"do": {"cancel"}, "all": {"1"}, "from": {"tomorrow"}}).is(http.StatusBadRequest, "is not a date")
	v.get("/jobs?state=waiting").is(http.StatusOK, row)
}

// TestTheListOfJobsIsPagedBothWays begins with a day, and goes from there to newer jobs and back.
func TestTheListOfJobsIsPagedBothWays(t *testing.T) {
	r := start(t)
	var entries []submission.BatchEntry // all of one moment
	for i := range 120 {
		entries = append(entries, submission.BatchEntry{Job: farm.Job{
			Name: fmt.Sprintf("Shot %03d", i), Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"},
		}})
	}
	if _, err := r.farm.SubmitBatch(t.Context(), r.principal("art"), entries); err != nil {
		t.Fatal(err)
	}
	v := r.as("art")
	shown := func(address string) (names []string) {
		t.Helper()
		for _, m := range regexp.MustCompile(`dir="auto">(Shot \d+)</a>`).FindAllStringSubmatch(v.get(address).is(http.StatusOK).body, -1) {
			names = append(names, m[1])
		}
		return names
	}
	link := func(address, word string) string {
		t.Helper()
		m := regexp.MustCompile(`href="([^"]+)">` + word + `</a>`).FindStringSubmatch(v.get(address).body)
		if m == nil {
			return ""
		}
		return html.UnescapeString(m[1])
	}
	r.eventually("the search index has all of them", func() bool { return len(shown(link(link("/jobs?q=shot", "Older"), "Older"))) == 20 })
	for _, filter := range []string{"", "state=waiting", "from=2020-01-01", "q=shot", "by=art", "q=shot&state=waiting"} {
		first := "/jobs?" + filter
		if to := link(first, "Newer"); to != "" {
			t.Errorf("newer than %s is %s", first, to)
		}
		second := link(first, "Older")
		third := link(second, "Older")
		if got := shown(third); len(got) != 20 || got[0] != "Shot 019" {
			t.Fatalf("the last page of %s is %q", first, got)
		}
		back := link(third, "Newer")
		if got := shown(back); !slices.Equal(got, shown(second)) || got[0] != "Shot 069" {
			t.Errorf("before the last page of %s stands %q", first, got)
		}
		if got := shown(link(back, "Older")); !slices.Equal(got, shown(third)) {
			t.Errorf("and behind that %q", got)
		}
		top := link(back, "Newer")
		if got := shown(top); !slices.Equal(got, shown(first)) {
			t.Errorf("before the second page of %s stands %q", first, got)
		}
		if to := link(top, "Newer"); to != "" {
			t.Errorf("newer than the newest is %s", to)
		}
	}
	if to := link("/jobs?at=2999-01-01", "Newer"); to != "" {
		t.Errorf("newer than what begins in the future is %s", to)
	}
	v.get("/jobs?newer=x").is(http.StatusOK, "begin again without it")
	v.get("/jobs?newer=").is(http.StatusOK, "Shot 119")
	zoe := r.as("zoe")
	foreign := r.submit("zoe", "Foreign")
	zoe.get("/jobs?newer="+foreign.ID).is(http.StatusOK, "Foreign")
	v.get("/jobs?newer="+foreign.ID).is(http.StatusOK, "begin again without it").lacks("Foreign")
}

func TestJobsAreFilteredByTheMachineThatWorkedOnThem(t *testing.T) {
	r := broken(t)
	v := r.as("art")
	mine := r.submit("art", "Untouched")
	const suite = "01JD7000000000000000000090"
	row := func(id string) string { return `id="job-` + id }
	v.get("/jobs?machine="+suite).is(http.StatusOK, row("01JD7000000000000000000100"), row("01JD7000000000000000000103"), `<option value="`+suite+`" selected>suite-1</option>`).lacks(row(mine.ID))
	v.get("/jobs?by=art&machine="+suite+"&state=failed").is(http.StatusOK, row("01JD7000000000000000000101"))
	v.get("/jobs?machine="+suite+"&state=waiting").is(http.StatusOK, "No job fits this filter")
	v.get("/jobs?machine="+suite+"&from=2999-01-01").is(http.StatusOK, "No job fits this filter")
	r.eventually("words narrow down what a machine did", func() bool {
		body := v.get("/jobs?q=spot&machine=" + suite).body
		return strings.Contains(body, row("01JD7000000000000000000102"))
	})
	v.get("/jobs?machine=gone").is(http.StatusOK, "No job fits this filter", `<option value="gone" selected>gone</option>`)
	v.get("/jobs?machine=a%00b").is(http.StatusOK, "No job fits this filter")
	v.get("/machines/"+suite).is(http.StatusOK, `href="/jobs?machine=`+suite+`"`)
	r.as("zoe").get("/jobs?machine="+suite).is(http.StatusOK, "No job fits this filter").lacks("Spot")
	v.post("/jobs/change", url.Values{"do": {"resubmit"}, "all": {"1"}, "machine": {suite}}).is(http.StatusOK, "and 3 more")
}

func TestTheListOfJobsIsSortedByItsAddress(t *testing.T) {
	r := start(t)
	for _, name := range []string{"Shot 10", "shot 2", "Alpha"} {
		r.submit("art", name)
	}
	v := r.as("art")
	inOrder := func(address string, names ...string) {
		t.Helper()
		body := v.get(address).is(http.StatusOK).body
		at := 0
		for _, name := range names {
			next := strings.Index(body[at:], `dir="auto">`+name+"</a>")
			if next < 0 {
				t.Fatalf("%s does not list %q in this order", address, names)
			}
			at += next
		}
	}
	inOrder("/jobs", "Alpha", "shot 2", "Shot 10")
	inOrder("/jobs?sort=oldest", "Shot 10", "shot 2", "Alpha")
	inOrder("/jobs?sort=name", "Alpha", "shot 2", "Shot 10")
	inOrder("/jobs?sort=name-down&state=waiting", "Shot 10", "shot 2", "Alpha")
	v.get("/jobs").is(http.StatusOK, `aria-sort="descending"><a class="sorts" href="/jobs?sort=oldest">Submitted</a>`, `aria-sort="none"><a class="sorts" href="/jobs?sort=name">Job</a>`)
	v.get("/jobs?sort=name&state=waiting").is(http.StatusOK,
		`aria-sort="ascending"><a class="sorts" href="/jobs?sort=name-down&amp;state=waiting">Job</a>`, `href="/jobs?state=waiting">Submitted</a>`,
		`<option value="name" selected>`, `href="/jobs?sort=name&amp;state=failed"`).lacks(`name="at"`)
	v.get("/jobs?sort=state").is(http.StatusOK, `aria-sort="ascending"><a class="sorts" href="/jobs">State</a>`)
	inOrder("/jobs?sort=progress", "Alpha", "shot 2", "Shot 10")
	inOrder("/jobs?sort=eta&state=waiting", "Alpha", "shot 2", "Shot 10")
	v.get("/jobs?sort=progress").is(http.StatusOK, `aria-sort="descending"><a class="sorts" href="/jobs">Progress</a>`, `<option value="progress" selected>`)
	v.get("/jobs?sort=eta").is(http.StatusOK, `aria-sort="none"><a class="sorts" href="/jobs?sort=progress">Progress</a>`, `<option value="eta" selected>Done soonest first</option>`)
	v.get("/jobs?sort=weather").is(http.StatusOK, "&#34;weather&#34; is not a sort order")
	v.get("/jobs?sort=name&cursor=x").is(http.StatusOK, "begin again without it")
	v.get("/jobs?sort=name&at=2020-01-01").is(http.StatusOK, "Alpha") // a day begins a list only where days follow each other
	v.post("/jobs/change", url.Values{"do": {"priority"}, "priority": {"7"}, "all": {"1"}, "sort": {"name"}}).is(http.StatusOK, "Priority 7")
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

func TestJobsAreReleasedAndHeldFromTheList(t *testing.T) {
	r := start(t)
	plain := r.submit("art", "Plain")
	held, err := r.farm.Submit(t.Context(), r.principal("art"), farm.Job{Name: "Held", Hold: true, Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	v := r.as("art")
	v.get("/jobs").is(http.StatusOK, `id="row-menu"`, `data-acts="release order cancel" data-job="`+held.ID, `data-acts="hold order cancel" data-job="`+plain.ID)
	v.post("/jobs/change", url.Values{"do": {"release"}, "id": {held.ID, plain.ID}}).is(http.StatusOK)
	if job, err := r.farm.Job(t.Context(), r.principal("art"), held.ID); err != nil || job.Hold {
		t.Errorf("the job is still held, %v", err)
	}
	v.post("/jobs/change", url.Values{"do": {"hold"}, "id": {held.ID, plain.ID}}).is(http.StatusOK)
	for _, id := range []string{held.ID, plain.ID} {
		if job, err := r.farm.Job(t.Context(), r.principal("art"), id); err != nil || !job.Hold {
			t.Errorf("job %s is not held, %v", job.Name, err)
		}
	}
	r.as("vic").get("/jobs").is(http.StatusOK, `id="row-menu"`).lacks("/jobs/change", "data-job=", `data-act="edit"`)
}

func TestAChangeOfManyJobsThatIsRefusedKeepsWhatWasTyped(t *testing.T) {
	r := start(t)
	one, two := r.submit("art", "One"), r.submit("art", "Two")
	v := r.as("art")
	chosen := `value="` + one.ID + `" form="selection" data-pick checked`
	typed := url.Values{"id": {one.ID}, "state": {"waiting"}, "priority": {"much"}, "level": {"overnight"}, "word": {"tv"}}
	for do, says := range map[string]string{"priority": `id="priority-wrong">Has to be a whole number from -1000 to 1000`, "burn": "Nothing was changed"} {
		typed.Set("do", do)
		v.post("/jobs/change", typed).is(http.StatusBadRequest, "<h1>Jobs</h1>", says, chosen, "job-"+two.ID, `value="much"`, `name="word" size="12" maxlength="1000" required value="tv"`,
			`name="state" value="waiting"`).lacks(`value="` + two.ID + `" form="selection" data-pick checked`)
	}
	v.post("/jobs/change", url.Values{"do": {"tag"}, "word": {" "}, "id": {one.ID}}).is(http.StatusBadRequest, `id="word-wrong">Type the tag`, chosen)
}

func TestTheListOfJobsNamesBatchesAndIsNarrowedDownToOne(t *testing.T) {
	r := start(t)
	batch := r.batchOf("art", 3)
	alone := r.submit("art", "Spring spot")
	v := r.as("art")
	v.get("/jobs").is(http.StatusOK, `<a href="/jobs?batch=`+batch.ID+`" title="Only this batch" dir="auto">variant 001 and 2 more</a>`, `<option value="`+batch.ID+`">variant 001 and 2 more</option>`)
	address := "/jobs?batch=" + batch.ID
	v.get("/batches/"+batch.ID).is(http.StatusOK, `href="`+address+`"`)
	r.eventually("the list has the batch's jobs", func() bool { return strings.Count(v.get(address).body, `<tr id="job-`) == 3 })
	v.get(address).is(http.StatusOK, `<option value="`+batch.ID+`" selected>`, "Only jobs of one", "<details open>").lacks(`id="job-`+alone.ID, "Only this batch")
	v.get("/jobs?batch=gone").is(http.StatusOK, "No job fits this filter", `<option value="gone" selected>gone</option>`)
	r.as("zoe").get(address).is(http.StatusOK, "No job fits this filter").lacks("variant 001")
}
