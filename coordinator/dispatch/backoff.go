package dispatch

import (
	"time"

	"overcrank/farm"
)

// backOff is how long a task rests after its failures-th failure, counted from 0.
func backOff(failures int) time.Duration {
	return 2 * time.Second << (2 * min(failures, 4))
}

// How long a task rests that found no licence: at first as long as a neighbour's render may take to give one back.
const (
	licenceRest    = 2 * time.Minute
	licenceRestMax = 15 * time.Minute
)

// longestRest is the longest that a task can be meant to rest, as it stands in the state.
func longestRest(task farm.Task) time.Duration {
	if task.Licences > 0 {
		return licenceRestMax
	}
	return backOff(task.Failures)
}

// noLater is a time of the state, unless that is later than it can have been meant: it was written under a clock that has been
// set back since, or under that of another node.
func noLater(at, latest time.Time) time.Time {
	if at.After(latest) {
		return latest
	}
	return at
}

// restOf is how long a task rests after an attempt that failed in a way.
func restOf(task farm.Task, class farm.FailureClass) time.Duration {
	if class.Consequence().Uncounted {
		return min(licenceRest<<min(task.Licences, 4), licenceRestMax)
	}
	return backOff(task.Failures)
}
