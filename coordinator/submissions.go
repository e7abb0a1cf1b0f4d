package coordinator

import (
	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// submissions is what submitting knows of this coordinator.
type submissions struct{ *Coordinator }

var _ submission.Farm = submissions{}

// SharedBy is the farm's policy.
func (f submissions) SharedBy() (farm.Policy, error) { return f.policy() }
