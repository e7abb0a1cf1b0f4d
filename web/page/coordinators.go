package page

import (
	"fmt"
	"strconv"

	"overcrank/coordinator/cluster"
	"overcrank/farm/wording"
)

// Coordinators is the page of the farm's coordinators.
type Coordinators struct{ cluster.Status }

// CoordinatorState is how a coordinator is.
func CoordinatorState(m cluster.Member) State {
	switch {
	case m.Dead:
		return State{"Does not answer", "error"}
	case m.Trouble != "":
		return State{"Takes no work", "error"}
	case m.Role == cluster.RoleLeader:
		return State{"Leads", "finished"}
	case m.Role == cluster.RoleNonVoter:
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
		return "The farm continues when " + plural(v.Standing.Spare, "more coordinator", "more coordinators") + " cannot be reached."
	case len(v.Members) == 1:
		return "The farm stops when this machine does. With three coordinators any one of them may fail."
	}
	return ""
}

// files is where the farm keeps its files, in words.
func (v Coordinators) files() string {
	move := v.Storage.Move
	switch {
	case move == nil && v.Storage.Shared:
		return "The farm’s files are in " + v.Storage.Where + "."
	case move == nil:
		return "The farm’s files are in " + v.Storage.Where + ", which other coordinators cannot reach: set a --storage that all of them reach."
	case move.Files == 0:
		return "The farm’s files are being moved to " + v.Storage.Where + "."
	}
	return fmt.Sprintf("The farm’s files are being moved to %s: %s of %s, %s of %s, are moved. Other coordinators can join when all are.",
		v.Storage.Where, grouped(int(move.Files-move.FilesLeft)), grouped(int(move.Files)), wording.Size(move.Bytes-move.BytesLeft), wording.Size(move.Bytes))
}

// stuck is why files that are on their way do not get on, "" when they do.
func (v Coordinators) stuck() string {
	if v.Storage.Move == nil || v.Storage.Move.Trouble == "" {
		return ""
	}
	return "files cannot be moved to the storage: " + v.Storage.Move.Trouble
}

// lag is how far a coordinator is behind that answers, "" when it is not.
func lag(m cluster.Member) string {
	if m.Lag == 0 || m.Dead {
		return ""
	}
	return strconv.FormatUint(m.Lag, 10) + " changes behind"
}
