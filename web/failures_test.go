package web_test

import (
	"encoding/csv"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// broken is a farm on which three jobs of art's failed for want of nm.png and one on a machine whose disk is full, an hour of work each; and one for each of
// more causes.
func broken(t *testing.T, more ...farm.Cause) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	r.people()
	store, err := raftstore.Open(t.Context(), raftstore.Config{Dir: filepath.Join(r.dir, "state"), MinFree: 1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ended := time.Now().UTC()
	begun := ended.Add(-time.Hour)
	r.apply(store, command.SetLevel{Level: command.NewestLevel, Version: "v"})
	r.apply(store, command.EnrolAgent{Agent: farm.Agent{ID: "01JD7000000000000000000090", Name: "suite-1", SecretHash: "none", EnrolledAt: begun}})
	for i, cause := range append([]farm.Cause{
		{Kind: farm.CauseFootage, Subject: "nm.png"}, {Kind: farm.CauseDisk, Subject: "01JD7000000000000000000090"}, {Kind: farm.CauseFootage, Subject: "nm.png"}, {Kind: farm.CauseFootage, Subject: "nm.png"},
	}, more...) {
		id := fmt.Sprintf("01JD70000000000000000001%02d", i)
		job := farm.Job{ID: id, Team: staff[0].Team, SubmittedBy: "art", Name: fmt.Sprint("Spot ", i), CreatedAt: begun, UpdatedAt: begun, OutputName: id + "-x.mp4",
			Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}}
		r.apply(store, command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{{ID: id + ".0", Job: id, Team: job.Team, Kind: farm.TaskRender}}})
		r.apply(store, command.LeaseTasks{Grants: []command.Grant{{Task: id + ".0", Attempt: 1, Agent: "01JD7000000000000000000090"}}, At: begun})
		r.apply(store, command.FailTask{Task: id + ".0", Attempt: 1, Message: "Render failed: the embedded engine exited with code 1: Could not read from source: " + cause.Subject, Class: farm.FailureDeterministic, Cause: cause, At: ended, Warnings: []string{"All pictures are black."}})
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	stop := r.serve("127.0.0.1:0")
	t.Cleanup(func() { stop() })
	return r
}

func TestFailuresStandByTheirCausesWithWhatHelps(t *testing.T) {
	r := broken(t)
	v := r.as("art")
	v.get("/failures").is(http.StatusOK, "3 jobs lack the file nm.png", "Resubmit 3 jobs", "None of these jobs can be given a file here.", "<b>3 jobs do not take it:</b>", "The farm has not read the project, which is named by its address", "No room on the disk for 1 job on suite-1", "Open suite-1", "Spot 3").lacks("with this file", "Drop the file here")
	v.get("/failures?cause=footage:nm.png").is(http.StatusOK, "3 jobs lack the file nm.png", "Spot 0").lacks("No room on the disk")
	v.get("/?of=team").is(http.StatusOK, "3 jobs lack the file nm.png", "All failures by cause")
	r.as("vic").get("/failures").is(http.StatusOK, "3 jobs lack the file nm.png").lacks("Resubmit", "Dismiss")
	r.as("zoe").get("/failures").is(http.StatusOK, "Nothing needs you").lacks("nm.png")
	v.post("/failures/retry", url.Values{"cause": {"rain"}}).is(http.StatusBadRequest)
	v.post("/failures/retry", url.Values{"cause": {"disk:01JD7000000000000000000090"}, "src": {"farm://" + strings.Repeat("0f", 32)}}).is(http.StatusBadRequest)

	picture, err := r.farm.StoredFiles().Put(t.Context(), r.principal("art"), "nm.png", strings.NewReader("picture"), 7)
	if err != nil {
		t.Fatal(err)
	}
	v.post("/failures/retry", url.Values{"cause": {"footage:nm.png"}, "src": {picture.Src()}}).is(http.StatusConflict, "the farm has not read the project", "put “nm.png” beside it there")
	if a := v.post("/failures/retry", url.Values{"cause": {"footage:nm.png"}}).is(http.StatusOK, "and 2 more"); !strings.HasPrefix(a.path, "/batches/") {
		t.Errorf("resubmitting leads to %s", a.path)
	}
	v.get("/failures").is(http.StatusOK, "No room on the disk").lacks("nm.png")
	v.post("/failures/dismiss", url.Values{"cause": {"disk:01JD7000000000000000000090"}}).is(http.StatusOK, "Nothing needs you")
}

// TestFailuresAreSaidInTheLanguageOfTheirReader looks at each page that shows why a job failed.
func TestFailuresAreSaidInTheLanguageOfTheirReader(t *testing.T) {
	r := broken(t)
	const job = "/jobs/01JD7000000000000000000102"
	v := r.as("art")
	v.get(job).is(http.StatusOK, "The embedded engine exited with code 1: Could not read from source: nm.png.")
	v.reads = "de"
	v.get(job).is(http.StatusOK, "Alle Bilder sind schwarz.").lacks("All pictures are black.")
	for _, path := range []string{job, "/jobs", "/failures"} {
		v.get(path).is(http.StatusOK, "eingebaute Engine endete mit dem Code 1: Die Quelle ist nicht lesbar: nm.png").lacks("Render failed", "Could not read from source")
	}
	v.reads = "fr"
	v.get(job).is(http.StatusOK, "Le moteur intégré s’est arrêté avec le code 1\u00a0: La source est illisible\u00a0: nm.png.")
}

// TestThePageOfFailuresIsLive has causes go while one looks at all of them and another at one.
func TestThePageOfFailuresIsLive(t *testing.T) {
	r := broken(t)
	v := r.as("art")
	all, one := v.live("failures:"), v.live("failures:"+url.Values{"cause": {"footage:nm.png"}}.Encode())
	all.shows("failures", "No room on the disk")
	one.shows("failures", "3 jobs lack the file nm.png")
	v.post("/jobs/change", url.Values{"id": {"01JD7000000000000000000100"}, "do": {"resubmit"}}).is(http.StatusOK)
	all.shows("failures", "2 jobs lack the file nm.png")
	one.shows("failures", "2 jobs lack the file nm.png")
	v.post("/failures/dismiss", url.Values{"cause": {"footage:nm.png"}}).is(http.StatusOK)
	one.shows("failures", "Nothing needs you")
	if gone := all.next(func(m part) bool { return m.ID == "failures" && !strings.Contains(m.HTML, "nm.png") }); !strings.Contains(gone.HTML, "No room on the disk") {
		t.Errorf("the page of all causes is %s", gone.HTML)
	}
}

func TestAJobThatIsResubmittedOnItsOwnNeedsNobody(t *testing.T) {
	r := broken(t)
	v := r.as("art")
	v.post("/jobs/change", url.Values{"id": {"01JD7000000000000000000100"}, "do": {"resubmit"}}).is(http.StatusOK)
	v.get("/jobs/01JD7000000000000000000102").is(http.StatusOK, "<b>Failed:</b>", `href="/failures?cause=footage%3Anm.png">See how to fix it</a>`)
	v.get("/failures").is(http.StatusOK, "2 jobs lack the file nm.png").lacks("Spot 0")
}

func TestReportsSumUpHoursAndCost(t *testing.T) {
	r := broken(t)
	v := r.as("ada")
	v.get("/reports").is(http.StatusOK, "Machine time", "By person", "art", "Missing footage: nm.png", "Disk full", "What an hour costs").lacks("EUR")
	v.post("/reports/rates", url.Values{"revision": {"0"}, "perHour": {"much"}}).is(http.StatusBadRequest, "has to be a number", "much")
	v.post("/reports/rates", url.Values{"revision": {"0"}, "perHour": {"2,50"}, "currency": {"EUR"}, "tags": {"gpu 5\r\n"}}).is(http.StatusOK, "10.00\u00a0EUR", "gpu 5")
	r.as("art").get("/reports").is(http.StatusOK, "10.00\u00a0EUR").lacks("What an hour costs")
	r.as("zoe").get("/reports").is(http.StatusOK, "None in these days").lacks("10.00", "nm.png")

	v.get("/reports.csv?from=2020-01-01").is(http.StatusBadRequest)
	a := v.get("/reports.csv").is(http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, row := range rows {
		found = found || strings.Join(row, ",") == "person,art,art,0,4,0,4,4.0000,4.0000,10.00,EUR"
	}
	if !found {
		t.Errorf("no row is about art:\n%s", a.body)
	}
}

func TestTheWallSaysHowItGoes(t *testing.T) {
	r := broken(t)
	r.as("vic").get("/wall").is(http.StatusOK, `data-theme="dark"`, "Finished today", "Machine time today", "3 jobs lack the file nm.png", "Nothing renders.").lacks("Resubmit", "<nav")
}

// TestAJobWithNothingToShowOffersNoPlayer looks at a failed job, of which nobody has said anything either.
func TestAJobWithNothingToShowOffersNoPlayer(t *testing.T) {
	r := broken(t)
	const failed = "/jobs/01JD7000000000000000000100"
	r.as("ada").get(failed).is(http.StatusOK, `<section id="reviews" class="stack" aria-labelledby="reviews-title" hidden>`).lacks("Open the player", "Make a review link")
	waiting := r.submit("art", "Spring spot")
	r.as("ada").get("/jobs/"+waiting.ID).is(http.StatusOK, "Make a review link").lacks("Open the player")
}

func TestTheTasksOfAJobAreNarrowedDownByState(t *testing.T) {
	r := broken(t)
	v := r.as("vic")
	const tasks = "/jobs/01JD7000000000000000000100/tasks"
	v.get(tasks).is(http.StatusOK, `id="task-01JD7000000000000000000100.0"`, `> <span>1 task</span>`, `href="`+tasks+`?state=failed"`)
	v.get(tasks+"?state=failed").is(http.StatusOK, `id="task-01JD7000000000000000000100.0"`)
	v.get(tasks+"?state=rendering").is(http.StatusOK, "No task in this state.").lacks(`id="task-`)
	v.get(tasks+"?state=weather").is(http.StatusOK, `id="task-01JD7000000000000000000100.0"`)
	v.get(tasks+"?after=gone").is(http.StatusOK, `id="task-01JD7000000000000000000100.0"`)
	v.reads = "de"
	v.get(tasks).is(http.StatusOK, `> <span>1 Aufgabe</span>`)
}

func TestJobsThatLackAFontAreCuredByAnotherOfTheLibrary(t *testing.T) {
	r := broken(t, farm.Cause{Kind: farm.CauseFont, Subject: "Gotham-Bold.ttf"})
	v := r.as("art")
	const field = "Another font of the library, in place of Gotham-Bold.ttf"
	v.get("/failures").is(http.StatusOK, "1 job needs the font “Gotham-Bold.ttf”").lacks(field)
	if a := v.sendsFile("/files/font?name=Go.ttf", goregular.TTF); a.status != http.StatusCreated {
		t.Fatalf("the font is not taken: %d %s", a.status, a.body)
	}
	v.get("/failures").is(http.StatusOK, field, "Use it, and resubmit 1 job", `<option value="GoRegular">`)
	r.as("vic").get("/failures").is(http.StatusOK, "Gotham-Bold.ttf").lacks(field)
	retry := func(cause, font string) answer {
		return v.post("/failures/retry", url.Values{"cause": {cause}, "font": {font}})
	}
	retry("footage:nm.png", "GoRegular").is(http.StatusBadRequest, "stands in for a missing font")
	retry("font:Gotham-Bold.ttf", "Nobody-Has").is(http.StatusNotFound, "no font")
	if a := retry("font:Gotham-Bold.ttf", "GoRegular").is(http.StatusOK); !strings.HasPrefix(a.path, "/batches/") {
		t.Errorf("who has the jobs submitted again is led to %s", a.path)
	}
	v.get("/failures").is(http.StatusOK, "nm.png").lacks("Gotham")
	v.get("/settings/fonts").is(http.StatusOK, "Gotham-Bold.ttf", "a copy of")
	retry("font:Gotham-Bold.ttf", "GoRegular").is(http.StatusConflict, "already")
}
