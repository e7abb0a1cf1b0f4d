// Package wording says states and lengths of time as people do, in the same words on the command line and on the dashboard.
package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"overcrank/farm"
)

// Approval says what a job waits for of which somebody has to look at the first frames.
func Approval() farm.Text {
	return farm.Say("The sample frames are there. The rest waits until somebody has approved them.")
}

// GivenBack says what is rendered again of the work that a machine is made to give back, of any machine: one to which somebody may come back
// draws films frame by frame and hands the frames over, others encode a film while they draw it.
func GivenBack() string {
	return "Frames that it has not handed over are rendered again; a film that is encoded while it is drawn starts over."
}

// DrainFirst says how a machine gives back nothing.
func DrainFirst() string { return "Drain lets it finish first." }

// Job is a job's state. A state of a later release is said as it comes.
func Job(s farm.JobStatus) string {
	switch s {
	case farm.JobQueued:
		return "waiting"
	case farm.JobPending:
		return "waiting for its parts"
	case farm.JobRendering:
		return "rendering"
	case farm.JobFinished:
		return "finished"
	case farm.JobFailed:
		return "failed"
	case farm.JobCancelled:
		return "cancelled"
	}
	return string(s)
}

// Batch is a batch's state, which is one of the interface: processing, finished or error. A state of a later release is said as it comes.
func Batch(status string) string {
	switch status {
	case "processing":
		return "at work"
	case "error":
		return "failed"
	}
	return status
}

// Template is a template's state. A state of a later release is said as it comes.
func Template(s farm.TemplateStatus) string {
	switch s {
	case farm.TemplateAwaitingUpload:
		return "waiting for its file"
	case farm.TemplateDownloading:
		return "being fetched"
	case farm.TemplateProcessing:
		return "being read"
	case farm.TemplateUploaded:
		return "ready"
	case farm.TemplateError:
		return "unusable"
	}
	return string(s)
}

// The states of a template that it has besides those of the interface.
const (
	TemplateHeldUp       = "held up"       // it cannot be read until somebody acts
	TemplateLacksFootage = "lacks footage" // it can be rendered when jobs bring the files that did not come with it
)

// Task is a task's state. failures is how many attempts at it have failed. A state of a later release is said as it comes.
func Task(s farm.TaskStatus, failures int) string {
	switch s {
	case farm.TaskReady:
		if failures > 0 {
			return "retrying soon"
		}
		return "waiting"
	case farm.TaskLeased:
		return "at work"
	case farm.TaskBlocked:
		return "waiting for other tasks"
	case farm.TaskDone:
		return "done"
	case farm.TaskFailed:
		return "failed"
	case farm.TaskCancelled:
		return "cancelled"
	}
	return string(s)
}

// Attempt is how an attempt ended, "" being one under way. An outcome of a later release is said as it comes.
func Attempt(o farm.Outcome) string {
	switch o {
	case "":
		return "at work"
	case farm.OutcomeReturned:
		return "given back"
	case farm.OutcomeLost:
		return "machine lost"
	case farm.OutcomeDone:
		return "done"
	case farm.OutcomeFailed:
		return "failed"
	case farm.OutcomeCancelled:
		return "cancelled"
	}
	return string(o)
}

// Machine is a machine's state. A state of a later release is said as it comes.
func Machine(s farm.MachineState) string {
	switch s {
	case farm.MachineOffline:
		return "offline"
	case farm.MachinePaused:
		return "paused"
	case farm.MachineSetAside:
		return "set aside"
	case farm.MachineDraining:
		return "draining"
	case farm.MachineDrained:
		return "drained"
	case farm.MachineNotReady:
		return "not ready"
	case farm.MachineAway:
		return "in use"
	case farm.MachineRendering:
		return "rendering"
	case farm.MachineFree:
		return "free"
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// Desk is what goes on before a machine, "" when it does not tell. A state of a later release is said as it comes.
func Desk(d farm.Desk) string {
	switch d {
	case farm.DeskNobody:
		return "nobody signed in"
	case farm.DeskArtist:
		return "artist at work"
	case farm.DeskLocked:
		return "locked"
	case farm.DeskFree:
		return "free"
	case farm.DeskUnknown:
	}
	return string(d)
}

// Title writes words as a label has them, with a capital at the beginning.
func Title(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + words[size:]
}

// Update is where a machine is with a release. A state of a later release is said as it comes.
func Update(s farm.UpdateState) string {
	switch s {
	case farm.UpdateFinishing:
		return "finishing its tasks"
	case farm.UpdateRetrying:
		return "trying again later"
	case farm.UpdateRolledBack:
		return "rolled back"
	case farm.UpdateDownloading:
		return "downloading"
	case farm.UpdateInstalling:
		return "installing"
	case farm.UpdateDone:
		return "updated"
	case farm.UpdateRefused:
		return "refused"
	case farm.UpdateNone:
	}
	return string(s)
}

// UpdateMode is who brings releases to a machine. A mode of a later release is said as it comes.
func UpdateMode(m farm.UpdateMode) string {
	switch m {
	case farm.UpdatedByOthers:
		return "managed by others"
	case farm.UpdatedByHand:
		return "by hand"
	case farm.UpdatedByFarm:
		return "by the farm"
	}
	return string(m)
}
