package web_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

func TestHomeIsAboutOnesOwnWork(t *testing.T) {
	r := start(t)
	mine, other := r.submit("art", "Spring spot"), r.submit("pro", "Autumn spot")
	r.submit("zoe", "Foreign spot")
	v := r.as("art")
	r.eventually("the page knows whose job it is", func() bool { return strings.Contains(v.get("/").body, `href="/?of=team"`) })
	v.get("/").is(http.StatusOK, "next-"+mine.ID, "done today (UTC)", "/jobs?by=art&amp;state=waiting").lacks(other.ID, "Foreign spot")
	v.get("/?of=team").is(http.StatusOK, "next-"+mine.ID, "next-"+other.ID, `href="/jobs?state=waiting"`).lacks("Foreign spot")
	r.as("vic").get("/").is(http.StatusOK, "next-"+mine.ID, "next-"+other.ID, "You have not submitted anything yet").lacks(`href="/?of=team"`, "Foreign spot")
}

func TestHomeShowsWhichOfManyJobsBeginFirst(t *testing.T) {
	r := start(t)
	r.batchOf("art", 201)
	v := r.as("art")
	r.eventually("the page knows whose jobs they are", func() bool { return strings.Contains(v.get("/").body, `href="/?of=team"`) })
	v.get("/").is(http.StatusOK, "<b>201</b>", "variant 001</a>", "variant 005</a>").lacks("variant 201</a>")
	v.get("/?of=team").is(http.StatusOK, "<b>201</b>", "variant 001</a>")
}

// TestWhatNeedsSomebodyIsWhatStillDoes: a failed job that was submitted again, or taken off the list, asks for nobody on the overview either.
func TestWhatNeedsSomebodyIsWhatStillDoes(t *testing.T) {
	r := broken(t)
	art, pro := r.as("art"), r.as("pro")
	r.eventually("the page knows whose jobs they are", func() bool { return strings.Contains(art.get("/").body, `href="/?of=team"`) })
	art.get("/").is(http.StatusOK, "4 failed jobs need you.", "3 jobs lack the file nm.png", "Add the file on the page of failures", "Resubmit 3 jobs", "No room on the disk for 1 job on suite-1", `<a href="#needs-you">`)
	pro.get("/").is(http.StatusOK, "3 jobs lack the file nm.png").lacks(`name="own"`)

	art.post("/jobs/change", url.Values{"id": {"01JD7000000000000000000100"}, "do": {"resubmit"}}).is(http.StatusOK)
	art.get("/").is(http.StatusOK, "3 failed jobs need you.", "2 jobs lack the file nm.png")
	art.post("/failures/dismiss", url.Values{"cause": {"disk:01JD7000000000000000000090"}}).is(http.StatusOK)
	art.get("/").is(http.StatusOK, "2 failed jobs need you.").lacks("No room on the disk")

	pro.post("/failures/retry", url.Values{"cause": {"footage:nm.png"}, "own": {"1"}}).is(http.StatusNotFound, "None of your jobs")
	art.post("/failures/retry", url.Values{"cause": {"footage:nm.png"}, "own": {"1"}}).is(http.StatusOK, "and 1 more")
	art.get("/").is(http.StatusOK).lacks("need you.", "nm.png", `href="#needs-you"`)
}

func TestAllJobsThatWaitForApprovalAreCounted(t *testing.T) {
	r := asking(t, 70)
	pro, art := r.as("pro"), r.as("art")
	pro.get("/").is(http.StatusOK, "70 jobs wait for approval.", "<b>70</b>", "Look and approve", "and 67 more for the same reason", "The sample frames are there.")
	r.eventually("the page knows whose jobs they are", func() bool { return strings.Contains(art.get("/").body, `href="/?of=team"`) })
	art.get("/").is(http.StatusOK, "70 jobs wait for approval.", "Look and approve")
	vic := r.as("vic")
	vic.get("/").is(http.StatusOK, "70 jobs wait for approval.", `<a href="/approvals">and 67 more`).lacks("Look and approve")
	vic.get("/wall").is(http.StatusOK, "70 jobs wait.")
}

func TestHomeShowsOnesOwnBatchesBehindManyOfOthers(t *testing.T) {
	r := start(t)
	r.batchOf("art", 30)
	theirs := r.batchOf("pro", 5)
	if _, _, _, err := r.farm.CancelBatch(t.Context(), r.principal("pro"), theirs.ID, false); err != nil {
		t.Fatal(err)
	}
	if _, err := r.farm.RetakeRows(t.Context(), r.principal("art"), theirs.ID, []submission.Take{{Row: 0}}); err != nil {
		t.Fatal(err)
	}
	r.batchOf("art", 3)
	r.submit("art", "Spring spot")
	for range 13 {
		r.batchOf("pro", 2)
	}
	v := r.as("art")
	r.eventually("the page knows whose batches they are", func() bool {
		body := v.get("/").body
		return strings.Contains(body, "variant 001 and 29 more") && strings.Contains(body, "variant 001 and 2 more")
	})
	v.get("/").is(http.StatusOK).lacks("variant 001 and 1 more", "variant 001 and 4 more")
	v.get("/?of=team").is(http.StatusOK, "variant 001 and 1 more").lacks("and 29 more")
	v.get("/batches?by=art").is(http.StatusOK, "variant 001 and 2 more").lacks("variant 001 and 4 more")
}

// asking is a farm with jobs of art's that wait for approval.
func asking(t *testing.T, jobs int) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	r.people()
	store, err := raftstore.Open(t.Context(), raftstore.Config{Dir: filepath.Join(r.dir, "state"), MinFree: 1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().UTC()
	r.apply(store, command.SetLevel{Level: command.NewestLevel, Version: "v"})
	r.apply(store, command.EnrolAgent{Agent: farm.Agent{ID: madeBy, Name: "suite-1", SecretHash: "none", EnrolledAt: at}})
	for i := range jobs {
		id := madeID(i)
		job := farm.Job{ID: id, Team: staff[0].Team, SubmittedBy: "art", Name: fmt.Sprint("Spot ", i), CreatedAt: at, UpdatedAt: at, OutputName: id + "-x.mp4", Approve: true, PreviewFirst: true,
			Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}}
		r.apply(store, command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{
			{ID: id + ".0", Job: id, Team: job.Team, Kind: farm.TaskSample}, {ID: id + ".1", Job: id, Team: job.Team, Kind: farm.TaskRender, Stage: 1},
		}})
		r.apply(store, command.LeaseTasks{Grants: []command.Grant{{Task: id + ".0", Attempt: 1, Agent: madeBy}}, At: at})
		r.apply(store, command.FinishTask{Task: id + ".0", Attempt: 1, At: at})
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	stop := r.serve("127.0.0.1:0")
	t.Cleanup(func() { stop() })
	return r
}
