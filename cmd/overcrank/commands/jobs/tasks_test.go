package jobs

import (
	"testing"

	"overcrank/farm"
)

// TestTheLastAttemptOfAFailedJobIsNotSaidToBeRetried: nobody waits for a try that does not come.
func TestTheLastAttemptOfAFailedJobIsNotSaidToBeRetried(t *testing.T) {
	for _, c := range []struct {
		outcome farm.Outcome
		class   farm.FailureClass
		last    bool
		want    string
	}{
		{farm.OutcomeFailed, farm.FailureTransient, false, "failed: retried later"},
		{farm.OutcomeFailed, farm.FailureTransient, true, "failed: not retried, the job has failed"},
		{farm.OutcomeFailed, farm.FailureDeterministic, true, "failed: the job is at fault, as far as the machine can tell"},
		{farm.OutcomeDone, "", true, "done"},
	} {
		if got := outcomeOf(c.outcome, c.class, c.last); got != c.want {
			t.Errorf("%s, %s, last %v: %q, want %q", c.outcome, c.class, c.last, got, c.want)
		}
	}
}
