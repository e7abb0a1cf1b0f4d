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

// TestAResultOfManyRecordsIsMadeInTheirTime counts how many records are looked at for n of them, and for four times as many.
func TestAResultOfManyRecordsIsMadeInTheirTime(t *testing.T) {
	looks := func(n int) (looks int) {
		var list []farm.Job
		var at map[string]int
		id := func(j *farm.Job) string {
			looks++
			return j.ID
		}
		for range 2 { // each moves twice
			for i := range n {
				list = placed(list, farm.Job{ID: fmt.Sprint(i)}, &at, id)
			}
		}
		if len(list) != n {
			t.Errorf("%d records of %d", len(list), n)
		}
		return looks
	}
	if few, many := looks(1000), looks(4000); many > 5*few {
		t.Errorf("1000 records are made in %d steps, 4000 in %d", few, many)
	}
}
