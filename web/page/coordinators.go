package page

import (
	"strconv"

	"overcrank/coordinator"
)

// Coordinators is the page of the farm's coordinators.
type Coordinators struct{ coordinator.Cluster }

// CoordinatorState is how a coordinator is.
func CoordinatorState(m coordinator.ClusterMember) State {
	switch {
	case m.Dead:
		return State{"Does not answer", "error"}
	case m.Trouble != "":
		return State{"Takes no work", "error"}
	case m.Role == coordinator.RoleLeader:
		return State{"Leads", "finished"}
	case m.Role == coordinator.RoleNonVoter:
		return State{"Catches up", "rendering"}
	}
	return State{"Follows", "free"}
}

// standing is what the farm bears, in words.
func (v Coordinators) standing() string {
	switch {
	case v.Waiting != "":
		return "This coordinator is not part of a farm yet: " + v.Waiting + "."
	case v.Leader == "":
		return "The farm has no leader at the moment, and takes no changes."
	case v.Standing.Spare > 0:
		return "The farm goes on when " + plural(v.Standing.Spare, "more coordinator", "more coordinators") + " cannot be reached."
	case len(v.Members) == 1:
		return "The farm stands still when this machine does. With three coordinators any one of them may fail."
	}
	return ""
}

// lag is how far a coordinator is behind that answers, "" when it is not.
func lag(m coordinator.ClusterMember) string {
	if m.Lag == 0 || m.Dead {
		return ""
	}
	return strconv.FormatUint(m.Lag, 10) + " changes behind"
}
