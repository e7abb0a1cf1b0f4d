package web_test

import (
	"fmt"
	"net/http"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm"
)

// batchOf submits a batch of held jobs in a person's name.
func (r *rig) batchOf(who string, jobs int) farm.Batch {
	r.t.Helper()
	entries := make([]coordinator.BatchEntry, jobs)
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
	v.get("/batches").is(http.StatusOK, "No batches yet")
	batch := r.batchOf("ada", 70)
	v.get("/batches").is(http.StatusOK, "70 jobs of", "0 of 70 finished, 70 waiting")
	first := v.get("/batches/"+batch.ID).is(http.StatusOK, "1. variant 001", "60. variant 060", "1 to 60 of 70", "Cancel what waits")
	first.lacks("variant 061")
	v.get("/batches/"+batch.ID+"?from=60").is(http.StatusOK, "70. variant 070", "61 to 70 of 70").lacks("variant 060")
	v.get("/batches/" + batch.ID + "?from=9000").is(http.StatusOK)
	r.as("vic").get("/batches/" + batch.ID).is(http.StatusOK).lacks("Cancel what waits")

	r.as("zoe").get("/batches/"+batch.ID).is(http.StatusNotFound, "There is no such page").lacks("variant")
	r.as("zoe").post("/batches/"+batch.ID+"/cancel", nil).is(http.StatusNotFound)
	r.as("zoe").get("/batches").is(http.StatusOK, "No batches yet")

	v.post("/batches/"+batch.ID+"/cancel", nil).is(http.StatusOK, "70 cancelled").lacks("Cancel what waits")
}

func TestAHeldJobIsReleasedOnItsPage(t *testing.T) {
	r := start(t)
	batch := r.batchOf("ada", 1)
	path := "/jobs/" + batch.Jobs[0].ID
	v := r.as("ada")
	v.get(path).is(http.StatusOK, "Held", "Release</button>", "/batches/"+batch.ID)
	v.post(path+"/release", nil).is(http.StatusOK, "Waiting").lacks("Release</button>")
	r.as("zoe").post(path+"/release", nil).is(http.StatusNotFound)
}
