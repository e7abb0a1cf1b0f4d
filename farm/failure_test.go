package farm_test

import (
	"testing"

	"overcrank/farm"
)

// TestWhatFollowsOnAFailureIsSaid holds each class to a consequence: a class without one would be tried again for ever and said nowhere.
func TestWhatFollowsOnAFailureIsSaid(t *testing.T) {
	for _, class := range farm.FailureClasses {
		if follows := class.Consequence(); !class.Known() || follows.Words == "" {
			t.Errorf("%q: %+v", class, follows)
		} else if follows.FailsJob && (follows.Uncounted || follows.BarsMachine || follows.BlamesMachine) {
			t.Errorf("%q fails the job, and yet: %+v", class, follows)
		}
	}
	if later := farm.FailureClass("later"); later.Known() || later.Consequence() != (farm.Consequence{}) || !farm.FailureClass("").Known() {
		t.Error("a class of a later release is taken for one of this")
	}
}
