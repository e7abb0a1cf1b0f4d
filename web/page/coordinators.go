package page

import (
	"context"
	"strconv"
	"time"

	"overcrank/coordinator/cluster"
	"overcrank/farm"
	"overcrank/web/language"
)

// Coordinators is the page of the farm's coordinators.
type Coordinators struct {
	cluster.Status
	Now time.Time
}

// backupRest is how long a farm is well without a new backup.
const backupRest = 7 * 24 * time.Hour

// backupCommand takes a backup.
const backupCommand = "overcrank backup farm.ocbackup --passphrase-file farm-backup.pass"

// backupDue says that somebody should take a backup, "" while the newest is young.
func (v Coordinators) backupDue(ctx context.Context) string {
	if len(v.Backups) == 0 {
		return say(ctx, "The farm knows of no backup. If its disks are lost, its jobs, templates and settings are lost with them.")
	}
	if age := v.Now.Sub(v.Backups[0].At); age > backupRest {
		return say(ctx, "The newest backup is %d days old.", int(age/(24*time.Hour)))
	}
	return ""
}

// backupHolds says what is in a backup.
func backupHolds(ctx context.Context, b farm.Backup) string {
	switch {
	case b.Keys && b.Files:
		return say(ctx, "State, keys and files")
	case b.Keys:
		return say(ctx, "State and keys")
	case b.Files:
		return say(ctx, "State and files")
	}
	return say(ctx, "State")
}

// CoordinatorState is how a coordinator is.
func CoordinatorState(m cluster.Member) State {
	switch {
	case m.Dead:
		return State{language.Text("does not answer"), "error"}
	case m.Trouble != "":
		return State{language.Text("takes no work"), "error"}
	case m.Role == cluster.RoleLeader:
		return State{language.Text("leads"), "finished"}
	case m.Role == cluster.RoleNonVoter:
		return State{language.Text("catches up"), "rendering"}
	}
	return State{language.Text("follows"), "free"}
}

// standing is what the farm bears, in words.
func (v Coordinators) standing(ctx context.Context) string {
	switch {
	case v.Waiting != "":
		return say(ctx, "This coordinator is not part of a farm yet: %s.", v.Waiting)
	case v.Leader == "":
		return say(ctx, "The farm has no leader at the moment, and takes no changes.")
	case v.Standing.Spare > 0:
		return many(ctx, v.Standing.Spare, "The farm continues when %d more coordinator cannot be reached.", "The farm continues when %d more coordinators cannot be reached.")
	case len(v.Members) == 1:
		return say(ctx, "The farm stops when this machine does. With three coordinators any one of them may fail.")
	}
	return ""
}

// files is where the farm keeps its files, in words.
func (v Coordinators) files(ctx context.Context) string {
	move := v.Storage.Move
	switch {
	case move == nil && v.Storage.Shared:
		return say(ctx, "The farm’s files are in %s.", heard(ctx, v.Storage.Where))
	case move == nil:
		return say(ctx, "The farm’s files are in %s, which other coordinators cannot reach: set a --storage that all of them reach.", v.Storage.Where)
	case move.Files == 0:
		return say(ctx, "The farm’s files are being moved to %s.", heard(ctx, v.Storage.Where))
	}
	return say(ctx, "The farm’s files are being moved to %s: %d of %d, %s of %s, are moved. Other coordinators can join when all are.",
		heard(ctx, v.Storage.Where), int(move.Files-move.FilesLeft), int(move.Files), inWords(ctx).Size(move.Bytes-move.BytesLeft), inWords(ctx).Size(move.Bytes))
}

// stuck is why files that are on their way do not get on, "" when they do.
func (v Coordinators) stuck(ctx context.Context) string {
	if v.Storage.Move == nil || v.Storage.Move.Trouble == "" {
		return ""
	}
	return say(ctx, "files cannot be moved to the storage: %s", v.Storage.Move.Trouble)
}

// lag is how far a coordinator is behind that answers, "" when it is not.
func lag(ctx context.Context, m cluster.Member) string {
	if m.Lag == 0 || m.Dead {
		return ""
	}
	return say(ctx, "%s changes behind", strconv.FormatUint(m.Lag, 10))
}

// kept says what a coordinator keeps on its disk, "" for one that does not tell.
func kept(ctx context.Context, m cluster.Member) string {
	if m.Usage.State == 0 {
		return ""
	}
	return say(ctx, "State %s, log %s", inWords(ctx).Size(m.Usage.State), inWords(ctx).Size(m.Usage.Log))
}

// snapshotWords say how large the newest snapshot of a coordinator is, and how long it took.
func snapshotWords(ctx context.Context, m cluster.Member) string {
	made := m.Usage.Snapshot
	if made.Took == 0 {
		return inWords(ctx).Size(made.Size)
	}
	return say(ctx, "%s, written in %s", inWords(ctx).Size(made.Size), inWords(ctx).Seconds(made.Took.Seconds()))
}

// mayLead tells whether the lead can be handed to a coordinator.
func mayLead(v Coordinators, m cluster.Member) bool {
	return v.Leader != "" && m.Role == cluster.RoleVoter && !m.Dead && !m.Differs && m.Trouble == ""
}
