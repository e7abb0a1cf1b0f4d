package page

import (
	"testing"

	"overcrank/farm"
)

// The overview reads none of a batch's jobs but the first, whose name stands for all of them.
func TestABatchIsCalledAsItsFirstJob(t *testing.T) {
	first := Job{Job: farm.Job{Name: "Opener, Austria"}}
	for jobs, want := range map[int]string{1: "Opener, Austria", 2: "Opener, Austria and 1 more", 6: "Opener, Austria and 5 more"} {
		card := BatchCard{Batch: Batch{Batch: farm.Batch{Jobs: make([]farm.BatchJob, jobs)}}, First: first}
		if got := card.Name(t.Context()); got != want {
			t.Errorf("a batch of %d jobs is called %q, not %q", jobs, got, want)
		}
	}
}
