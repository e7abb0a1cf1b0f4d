package coordinator_test

import (
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm"
)

// TestAJobTakesTheTagsThatItCouldHaveBeenSubmittedWith changes a job's tags to some that a submission may not have.
func TestAJobTakesTheTagsThatItCouldHaveBeenSubmittedWith(t *testing.T) {
	r := open(t)
	job := r.submit()
	for _, tag := range []string{strings.Repeat("t", 1001), "a\x00b"} {
		_, err := r.ChangeJob(t.Context(), r.admin, job.ID, coordinator.JobChange{Tags: &[]string{"fine", tag}})
		if farm.CodeOf(err) != farm.CodeInvalid {
			t.Errorf("%.10q: %v", tag, err)
		}
	}
	changed, err := r.ChangeJob(t.Context(), r.admin, job.ID, coordinator.JobChange{Tags: &[]string{strings.Repeat("t", 1000)}})
	if err != nil || len(changed.Tags) != 1 {
		t.Errorf("%v, %v", changed.Tags, err)
	}
}
