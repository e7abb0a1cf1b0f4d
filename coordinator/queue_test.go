package coordinator_test

import (
	"context"
	"errors"
	"testing"

	"overcrank/coordinator/submission"
	"overcrank/farm"
)

func TestReadingTheQueueEndsWithTheTerm(t *testing.T) {
	r := open(t)
	const jobs = 2000 // four pages
	for range jobs / 1000 {
		entries := make([]submission.BatchEntry, 1000)
		for i := range entries {
			entries[i] = entryOf(nil)
		}
		if _, err := r.SubmitBatch(t.Context(), r.admin, entries); err != nil {
			t.Fatal(err)
		}
	}
	read := 0
	count := func(page []farm.Task) error {
		read += len(page)
		return nil
	}
	if err := r.EachReady(t.Context(), count); err != nil || read != jobs {
		t.Fatalf("%d of %d tasks were read, %v", read, jobs, err)
	}
	read = 0
	term, end := context.WithCancel(t.Context())
	err := r.EachReady(term, func(page []farm.Task) error {
		end()
		return count(page)
	})
	// The page that was being read while the first was visited may come as well.
	if !errors.Is(err, context.Canceled) || read == 0 || read > jobs/2 {
		t.Fatalf("a term that had ended read %d of %d tasks on, %v", read, jobs, err)
	}
}
