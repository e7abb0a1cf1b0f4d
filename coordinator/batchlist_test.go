package coordinator_test

import (
	"slices"
	"testing"

	"overcrank/coordinator"
	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// TestBatchesAreSelectedByWhoseTheyAreAndHowTheyStand lists batches of two people, one of which has ended.
func TestBatchesAreSelectedByWhoseTheyAreAndHowTheyStand(t *testing.T) {
	r := open(t)
	hold := func(j *farm.Job) { j.Hold = true }
	other := r.admin
	other.Name = "another"
	var ids []string
	for i, p := range []farm.Principal{r.admin, other, r.admin} {
		made, err := r.SubmitBatch(t.Context(), p, []submission.BatchEntry{entryOf(hold), entryOf(hold)})
		if err != nil || len(made.Errs) > 0 {
			t.Fatalf("batch %d: %v, %v", i, made.Errs, err)
		}
		ids = append(ids, made.Batch.ID)
	}
	if _, _, _, err := r.CancelBatch(t.Context(), r.admin, ids[0], false); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		filter farm.BatchFilter
		want   []string
	}{
		{farm.BatchFilter{}, []string{ids[2], ids[1], ids[0]}},
		{farm.BatchFilter{By: r.admin.Name}, []string{ids[2], ids[0]}},
		{farm.BatchFilter{By: "another"}, []string{ids[1]}},
		{farm.BatchFilter{By: "nobody"}, nil},
		{farm.BatchFilter{State: farm.BatchOpen}, []string{ids[2], ids[1]}},
		{farm.BatchFilter{State: farm.BatchDone}, []string{ids[0]}},
		{farm.BatchFilter{State: farm.BatchFailing}, nil},
		{farm.BatchFilter{By: r.admin.Name, State: farm.BatchOpen}, []string{ids[2]}},
	} {
		for _, step := range []int{1, 10} {
			var got []string
			for cursor, more := "", true; more; {
				found, err := r.SelectBatches(t.Context(), r.admin, tt.filter, cursor, step)
				if err != nil || found.Short {
					t.Fatalf("%+v: %+v, %v", tt.filter, found, err)
				}
				for _, b := range found.Batches {
					if got = append(got, b.ID); b.First.ID != b.Jobs[0].ID || b.Counts[farm.JobQueued]+b.Counts[farm.JobCancelled] != 2 {
						t.Errorf("%+v: listed with %+v, %v", tt.filter, b.First, b.Counts)
					}
				}
				cursor, more = found.Next, found.Next != ""
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%+v, %d at a time: %v, want %v", tt.filter, step, got, tt.want)
			}
		}
	}
	if _, err := r.RetakeRows(t.Context(), other, ids[0], []submission.Take{{Row: 0}}); err != nil {
		t.Fatal(err)
	}
	for by, want := range map[string][]string{r.admin.Name: {ids[2], ids[0]}, "another": {ids[1]}} {
		found, err := r.SelectBatches(t.Context(), r.admin, farm.BatchFilter{By: by}, "", 10)
		if err != nil || len(found.Batches) != len(want) || found.Batches[len(want)-1].ID != want[len(want)-1] {
			t.Errorf("with a row that another submitted again, those of %s are %+v, %v", by, found.Batches, err)
		}
	}
	none, err := r.SelectBatches(t.Context(), farm.Principal{Team: "another"}, farm.BatchFilter{}, "", 10)
	if err != nil || len(none.Batches) > 0 {
		t.Errorf("another team sees %+v, %v", none, err)
	}
}

// TestAFilterLooksAtSoManyBatchesForOnePage has one that fits behind more than that.
func TestAFilterLooksAtSoManyBatchesForOnePage(t *testing.T) {
	r := open(t)
	other := r.admin
	other.Name = "another"
	submit := func(p farm.Principal) farm.Batch {
		made, err := r.SubmitBatch(t.Context(), p, []submission.BatchEntry{entryOf(func(j *farm.Job) { j.Hold = true })})
		if err != nil {
			t.Fatal(err)
		}
		return made.Batch
	}
	wanted := submit(other)
	for range coordinator.MostBatchesLooked {
		submit(r.admin)
	}
	found, err := r.SelectBatches(t.Context(), r.admin, farm.BatchFilter{By: "another"}, "", 10)
	if err != nil || len(found.Batches) != 0 || !found.Short || found.Looked != coordinator.MostBatchesLooked || found.Next == "" {
		t.Fatalf("the first page is %+v, %v", found, err)
	}
	found, err = r.SelectBatches(t.Context(), r.admin, farm.BatchFilter{By: "another"}, found.Next, 10)
	if err != nil || len(found.Batches) != 1 || found.Batches[0].ID != wanted.ID || found.Short || found.Next != "" {
		t.Errorf("the second page is %+v, %v", found, err)
	}
}
