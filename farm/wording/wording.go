// Package wording says states and lengths of time as people do, in the same words on the command line and on the dashboard.
package wording

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"overcrank/farm"
)

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

// Machine is a machine's state. A state of a later release is said as it comes.
func Machine(s farm.MachineState) string {
	if s == farm.MachineAway {
		return "in use"
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// Duration is a length of time, as precise as people need it: "2.5 s", "40 s", "3 min 5 s", "2 h 10 min".
func Duration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Seconds is Duration for a number of seconds.
func Seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }

// Title writes words as a label has them, with a capital at the beginning.
func Title(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + words[size:]
}
