package command

import (
	"fmt"
	"testing"

	"overcrank/farm"
)

func TestAResultHoldsEachRecordOnce(t *testing.T) {
	var result Result
	const many = 3 * manyPlaces
	for round := range 3 {
		for i := range many {
			result.AddJob(farm.Job{ID: fmt.Sprint(i), Priority: round})
		}
	}
	if len(result.Jobs) != many {
		t.Fatalf("%d jobs", len(result.Jobs))
	}
	for i, job := range result.Jobs {
		if job.ID != fmt.Sprint(i) || job.Priority != 2 {
			t.Errorf("at %d: %s of round %d", i, job.ID, job.Priority)
		}
	}
}
