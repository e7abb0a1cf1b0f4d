package dispatch

import (
	"testing"

	"overcrank/farm"
)

func TestABatchIsDoneWhenAllItsJobsAre(t *testing.T) {
	begins := func(low, high float64) farm.Placement {
		return farm.Placement{Start: &farm.Span{Low: low, High: high}, Fitting: 2}
	}
	var b batchCosts
	if b.finish(0) != nil {
		t.Error("a batch of which nothing is known has a forecast")
	}
	b.runs(&farm.Span{Low: 10, High: 20})
	b.waits(begins(5, 10), &farm.Span{Low: 60, High: 60})
	b.waits(begins(30, 40), &farm.Span{Low: 60, High: 60})
	got := b.finish(300)
	if got == nil || got.Low < 300*60/2 || got.High < got.Low || got.Learning || b.held {
		t.Errorf("300 jobs of a minute on two machines are done in %+v", got)
	}
	if two := b.finish(2); two.Low < 90 || two.High > 300 {
		t.Errorf("two of them are done in %+v", two)
	}
	b.waits(farm.Placement{}, nil)
	if !b.held {
		t.Error("a job that waits for people counts like any other")
	}
}

func TestSamplesReachEachJobOfABatch(t *testing.T) {
	for n := 1; n < 300; n++ {
		seen := map[int]bool{}
		for step, i := 0, n-1; step < n; step++ {
			seen[i] = true
			i = (i + strideOf(n)) % n
		}
		if len(seen) != n {
			t.Fatalf("of %d jobs %d are looked at", n, len(seen))
		}
	}
}
