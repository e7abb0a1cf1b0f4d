package coordinator_test

import (
	"testing"

	"overcrank/coordinator/submission"
	"overcrank/farm"
)

func anyJob(farm.Job) bool { return true }

// TestRowsOfABatchAreSubmittedAgainInTheirPlaces submits rows again whose jobs have ended: one as it was, one with other words, and some that cannot be.
func TestRowsOfABatchAreSubmittedAgainInTheirPlaces(t *testing.T) {
	r := open(t)
	kept := farm.JobTemplate{ID: r.uploaded(project(t, []string{"main"})).ID, Composition: "main"}
	entry := func(i int) submission.BatchEntry {
		return entryOf(func(j *farm.Job) {
			j.Template, j.Hold = kept, true
			j.Assets = []farm.Asset{{Type: "text", LayerName: "a", Value: noise(uint64(i), 100)}}
		})
	}
	made, err := r.SubmitBatch(t.Context(), r.admin, []submission.BatchEntry{entry(0), entry(1), entry(2), entry(3)})
	if err != nil || len(made.Jobs) != 4 {
		t.Fatalf("%v, %v", made.Errs, err)
	}
	id := made.Batch.ID
	if _, err := r.CancelJobs(t.Context(), r.admin, []string{made.Jobs[0].ID, made.Jobs[1].ID, made.Jobs[2].ID}, false); err != nil {
		t.Fatal(err)
	}
	rows, of, err := r.BatchRows(t.Context(), r.admin, id, func(j farm.Job) bool { return j.Status == farm.JobCancelled })
	if err != nil || len(rows) != 3 || of.ID != id || rows[2].Number != 2 || rows[2].Err != nil || len(rows[2].Again.Assets) != 1 {
		t.Fatalf("the rows are %+v, %v", rows, err)
	}
	other, wrong := rows[1].Again, rows[2].Again
	other.Assets = []farm.Asset{{Type: "text", LayerName: "a", Value: []byte(`"warmer"`)}}
	wrong.Template.Composition = "nowhere"
	result, err := r.RetakeRows(t.Context(), r.admin, id, []submission.Take{{Row: 0}, {Row: 1, Job: &other}, {Row: 2, Job: &wrong}, {Row: 3}})
	if err != nil || len(result.Jobs) != 2 || result.Batch.ID != id {
		t.Fatalf("%d takes of batch %s, refused %v, %v", len(result.Jobs), result.Batch.ID, result.Errs, err)
	}
	if farm.CodeOf(result.Errs[2]) != farm.CodeInvalid && farm.CodeOf(result.Errs[2]) != farm.CodeNotFound {
		t.Errorf("row 3 was refused with %v", result.Errs[2])
	}
	if farm.CodeOf(result.Errs[3]) != farm.CodeConflict {
		t.Errorf("row 4, which has not ended, was refused with %v", result.Errs[3])
	}
	batch, jobs, err := r.Batch(t.Context(), r.admin, id)
	if err != nil || len(batch.Jobs) != 4 || len(jobs) != 4 {
		t.Fatalf("the batch is %+v, %v", batch, err)
	}
	for row, want := range []farm.JobStatus{farm.JobQueued, farm.JobQueued, farm.JobCancelled, farm.JobQueued} {
		if got := jobs[batch.Jobs[row].ID]; got.Status != want || batch.Jobs[row].Index != row {
			t.Errorf("row %d is %s, want %s", row+1, got.Status, want)
		}
	}
	if take := jobs[batch.Jobs[1].ID]; string(take.Assets[0].Value) != `"warmer"` || take.TakeOf != made.Jobs[1].ID || take.Hold || take.Batch != id {
		t.Errorf("the new take of row 2 is %+v", take)
	}
	if part, _, err := r.BatchPart(t.Context(), r.admin, id, nil, 0, 0); err != nil || part.Counts[farm.JobQueued] != 3 || part.Counts[farm.JobCancelled] != 1 {
		t.Errorf("the batch counts %v, %v", part.Counts, err)
	}
	old, err := r.Job(t.Context(), r.admin, made.Jobs[1].ID)
	if err != nil || old.NextTake != batch.Jobs[1].ID || old.Status != farm.JobCancelled {
		t.Errorf("the take before is %+v, %v", old, err)
	}
	for name, takes := range map[string][]submission.Take{"none": nil, "twice": {{Row: 2}, {Row: 2}}, "unknown": {{Row: 9}}} {
		if _, err := r.RetakeRows(t.Context(), r.admin, id, takes); err == nil {
			t.Errorf("%s: nothing was refused", name)
		}
	}
	stranger := farm.Principal{Team: "another", Role: farm.RoleAdmin, Name: "stranger"}
	if _, _, err := r.BatchRows(t.Context(), stranger, id, anyJob); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("another team reads its rows: %v", err)
	}
}

// TestTakesTooLargeForOneCommandAppearTogether submits rows again that are staged in parts.
func TestTakesTooLargeForOneCommandAppearTogether(t *testing.T) {
	r := open(t)
	kept := farm.JobTemplate{ID: r.uploaded(project(t, []string{"main"})).ID, Composition: "main"}
	var entries []submission.BatchEntry
	var takes []submission.Take
	for i := range 12 {
		entries = append(entries, entryOf(func(j *farm.Job) {
			j.Template, j.Hold = kept, true
			j.Assets = []farm.Asset{{Type: "text", LayerName: "a", Value: noise(uint64(i), 200<<10)}}
		}))
		takes = append(takes, submission.Take{Row: i})
	}
	made, err := r.SubmitBatch(t.Context(), r.admin, entries)
	if err != nil || len(made.Jobs) != len(entries) {
		t.Fatalf("%v, %v", made.Errs, err)
	}
	if _, _, _, err := r.CancelBatch(t.Context(), r.admin, made.Batch.ID, false); err != nil {
		t.Fatal(err)
	}
	result, err := r.RetakeRows(t.Context(), r.admin, made.Batch.ID, takes)
	if err != nil || len(result.Jobs) != len(entries) {
		t.Fatalf("%d takes, refused %v, %v", len(result.Jobs), result.Errs, err)
	}
	part, _, err := r.BatchPart(t.Context(), r.admin, made.Batch.ID, nil, 0, 0)
	if err != nil || part.Counts[farm.JobQueued] != len(entries) || len(part.Counts) != 1 {
		t.Errorf("the batch counts %v, %v", part.Counts, err)
	}
}
