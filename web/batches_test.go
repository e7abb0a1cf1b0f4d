package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// batchOf submits a batch of held jobs in a person's name.
func (r *rig) batchOf(who string, jobs int) farm.Batch {
	r.t.Helper()
	entries := make([]submission.BatchEntry, jobs)
	for i := range entries {
		entries[i].Job = farm.Job{Name: fmt.Sprintf("variant %03d", i+1), Hold: true, Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}}
	}
	made, err := r.farm.SubmitBatch(r.t.Context(), r.principal(who), entries)
	if err != nil {
		r.t.Fatal(err)
	}
	return made.Batch
}

func TestABatchIsListedShownAndCancelled(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	v.get("/batches").is(http.StatusOK, "No batches yet", `href="/new/table">New batch`)
	r.as("vic").get("/batches").is(http.StatusOK).lacks("New batch")
	batch := r.batchOf("ada", 70)
	v.get("/batches").is(http.StatusOK, "variant 001 and 69 more", "0 of 70 finished, 70 waiting")
	first := v.get("/batches/"+batch.ID).is(http.StatusOK, "1. variant 001", "60. variant 060", "1 to 60 of 70", "Cancel waiting jobs")
	first.lacks("variant 061")
	v.get("/batches/"+batch.ID+"?from=60").is(http.StatusOK, "70. variant 070", "61 to 70 of 70").lacks("variant 060")
	v.get("/batches/" + batch.ID + "?from=9000").is(http.StatusOK)
	r.as("vic").get("/batches/" + batch.ID).is(http.StatusOK).lacks("Cancel waiting jobs")

	r.as("zoe").get("/batches/"+batch.ID).is(http.StatusNotFound, "Page not found").lacks("variant")
	r.as("zoe").post("/batches/"+batch.ID+"/cancel", nil).is(http.StatusNotFound)
	r.as("zoe").get("/batches").is(http.StatusOK, "No batches yet")

	v.post("/batches/"+batch.ID+"/cancel", nil).is(http.StatusOK, "70 cancelled").lacks("Cancel waiting jobs")
}

// TestOlderPagesOfBatchesAreLive cancels a batch that is not among the newest.
func TestOlderPagesOfBatchesAreLive(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	old := r.batchOf("ada", 3)
	r.batchOf("ada", 2)
	_, next, err := r.farm.Batches(t.Context(), r.principal("ada"), "", 1)
	if err != nil || next == "" {
		t.Fatalf("the next page begins at %q, %v", next, err)
	}
	v.get("/batches?cursor="+url.QueryEscape(next)).is(http.StatusOK, "variant 001 and 2 more", "Newest</a>", `data-live="batches:cursor=`+next+`"`).lacks("and 1 more")
	list := v.live("batches:cursor=" + next)
	list.shows("batches", "0 of 3 finished, 3 waiting")
	if _, _, _, err := r.farm.CancelBatch(t.Context(), r.principal("ada"), old.ID, true); err != nil {
		t.Fatal(err)
	}
	list.next(func(p part) bool {
		if strings.Contains(p.HTML, "and 1 more") {
			t.Error("the older page became the newest")
		}
		return p.ID == "batches" && strings.Contains(p.HTML, "3 cancelled")
	})
}

// TestAJobsPageNamesWhatItBelongsTo looks at a job of a batch and at one that is nested in another.
func TestAJobsPageNamesWhatItBelongsTo(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	card := r.cardTemplate("ada")
	batch := r.batchOf("ada", 2)
	v.get("/jobs/"+batch.Jobs[0].ID).is(http.StatusOK, `href="/batches/`+batch.ID+`" dir="auto">variant 001 and 1 more<`).lacks(">" + batch.ID + "</a>")
	nested := func() []farm.Asset {
		return []farm.Asset{{Type: "job", LayerName: "Picture", Nested: &farm.Job{Template: farm.JobTemplate{ID: card.ID, Composition: "inner"}}}}
	}
	made, err := r.farm.SubmitBatch(t.Context(), r.principal("ada"), []submission.BatchEntry{
		{Job: farm.Job{Name: "Outer <spot>", Hold: true, Template: farm.JobTemplate{ID: card.ID, Composition: "main"}, Assets: nested()}},
		{Job: farm.Job{Hold: true, Template: farm.JobTemplate{ID: card.ID, Composition: "main"}, Assets: nested()}},
	})
	if err != nil || len(made.Jobs) != 2 {
		t.Fatalf("%v, %v", made.Errs, err)
	}
	for i, title := range []string{"Outer &lt;spot&gt;", "Spring: Card · main"} {
		outer := made.Jobs[i]
		v.get("/jobs/"+outer.Children[0]).is(http.StatusOK, "Part of", `href="/jobs/`+outer.ID+`" dir="auto">`+title+"</a>").lacks(">" + outer.ID + "</a>")
	}
}

func TestAJobIsReleasedAndHeldOnItsPage(t *testing.T) {
	r := start(t)
	batch := r.batchOf("ada", 1)
	path := "/jobs/" + batch.Jobs[0].ID
	v := r.as("ada")
	v.get(path).is(http.StatusOK, "Held", "Release</button>", "/batches/"+batch.ID)
	v.post(path+"/release", nil).is(http.StatusOK, "Waiting", "Hold</button>").lacks("Release</button>")
	v.post(path+"/hold", nil).is(http.StatusOK, "Held", "Release</button>").lacks("Hold</button>")
	for _, act := range []string{"/release", "/hold"} {
		r.as("zoe").post(path+act, nil).is(http.StatusNotFound)
	}
}

func TestABatchIsFilteredOrderedAgainAndPacked(t *testing.T) {
	r := start(t)
	batch := r.batchOf("ada", 70)
	v := r.as("art")
	path := "/batches/" + batch.ID
	v.get(path+"?state=waiting&from=60").is(http.StatusOK, "61 to 70 of 70", "variant 070", "Waiting 70").lacks("variant 060", "Failed 0")
	v.get(path+"?state=failed").is(http.StatusOK, "No jobs in this state", "All 70").lacks("1. variant 001")
	v.get(path+"?state=%22%3E%3Cscript%3E").is(http.StatusOK, "variant 001").lacks("<script>")
	v.get(path+"/results.zip").is(http.StatusNotFound, "No job of this batch is finished yet")
	v.post(path+"/again", nil).is(http.StatusNotFound, "no such jobs")
	r.as("vic").post(path+"/cancel", url.Values{"force": {"1"}}).is(http.StatusForbidden, "Artist or higher")
	r.as("vic").post(path+"/again", nil).is(http.StatusForbidden)
	for _, to := range []string{"/again", "/cancel"} {
		r.as("zoe").post(path+to, nil).is(http.StatusNotFound)
	}
	r.as("zoe").get(path + "/results.zip").is(http.StatusNotFound)
	r.as("ada").post(path+"/cancel", url.Values{"force": {"1"}}).is(http.StatusOK, "70 cancelled")
}

func TestJobsAreOrderedAgainAsTheyWereSent(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada")
	ada := r.principal("ada")
	sent := farm.Job{
		Name: "outer", Hold: true, Priority: 7, Tags: []string{"spring"}, Preview: true, Template: farm.JobTemplate{ID: card.ID, Composition: "main"},
		Assets: []farm.Asset{
			{Type: "text", LayerName: "Title", Value: json.RawMessage(`"x"`)},
			{Type: "job", LayerName: "Picture", Nested: &farm.Job{Template: farm.JobTemplate{ID: card.ID, Composition: "inner"}}},
		},
	}
	private := farm.Job{Name: "private", Hold: true, Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}}
	first, err := r.farm.SubmitBatch(t.Context(), ada, []submission.BatchEntry{{Job: sent}, {Job: private}})
	if err != nil || len(first.Jobs) != 2 {
		t.Fatalf("%+v, %v", first.Errs, err)
	}
	all := func(farm.Job) bool { return true }
	again, err := r.farm.ResubmitBatch(t.Context(), ada, first.Batch.ID, all, func(j *farm.Job) { j.Preview = false })
	if err != nil || len(again.Jobs) != 1 || farm.CodeOf(again.Errs[1]) != farm.CodeConflict {
		t.Fatalf("%d jobs, refused %v, %v", len(again.Jobs), again.Errs, err)
	}
	job, err := r.farm.Job(t.Context(), ada, again.Jobs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if job.Name != "outer" || job.Hold || job.Preview || job.Priority != 7 || len(job.Tags) != 1 || job.Batch != again.Batch.ID || len(job.Children) != 1 ||
		job.Children[0] == first.Jobs[0].Children[0] || len(job.Assets) != 2 || string(job.Assets[0].Value) != `"x"` {
		t.Errorf("resubmitted: %+v", job)
	}
	if _, err := r.farm.ResubmitBatch(t.Context(), r.principal("zoe"), first.Batch.ID, all, func(*farm.Job) {}); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("another team's batch: %v", err)
	}
}

// TestTheListOfBatchesIsNarrowedDown looks at it by owner and by state, in the address, and at what it says where nothing fits.
func TestTheListOfBatchesIsNarrowedDown(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	hers, his := r.batchOf("ada", 2), r.batchOf("art", 3)
	v.get("/batches").is(http.StatusOK, "variant 001 and 1 more", "variant 001 and 2 more", `href="/batches?by=art"`, `src="/jobs/`+hers.Jobs[0].ID+`/poster?`, `data-live="batches:"`)
	v.get("/batches?by=art").is(http.StatusOK, "variant 001 and 2 more", `data-live="batches:by=art"`, `href="/batches?by=art&amp;state=done"`).lacks("variant 001 and 1 more")
	v.get("/batches?by=nobody").is(http.StatusOK, "No batches of nobody", "Show all")
	v.get("/batches?state=failures").is(http.StatusOK, "No batches have failures", "Show all")
	v.get("/batches?by=ada&state=done").is(http.StatusOK, "No batches of ada are done").lacks("variant")
	v.get("/batches?state=%22%3E%3Cscript%3E").is(http.StatusOK, "variant 001 and 1 more").lacks("<script>")
	r.as("zoe").get("/batches?by=ada").is(http.StatusOK, "No batches of ada").lacks("variant")

	open := v.live("batches:state=open")
	open.shows("batches", "variant 001 and 2 more")
	if _, _, _, err := r.farm.CancelBatch(t.Context(), r.principal("art"), his.ID, true); err != nil {
		t.Fatal(err)
	}
	open.next(func(p part) bool {
		return p.ID == "batches" && !strings.Contains(p.HTML, "and 2 more") && strings.Contains(p.HTML, "and 1 more")
	})
	v.get("/batches?state=done").is(http.StatusOK, "variant 001 and 2 more").lacks("variant 001 and 1 more")
}
