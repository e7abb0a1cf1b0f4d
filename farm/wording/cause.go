package wording

import (
	"fmt"

	"overcrank/farm"
)

// Cause says why some jobs failed: "3 jobs lack the file nm.png". name is what people call the machine or template that the subject of the
// cause is the id of, "" when nobody knows.
func Cause(c farm.Cause, jobs int, name string) string {
	many := fmt.Sprintf("%d jobs", jobs)
	verb := func(one, more string) string {
		if jobs == 1 {
			return "1 job " + one
		}
		return many + " " + more
	}
	of := func(what string) string {
		if c.Subject == "" {
			return what
		}
		return what + " “" + c.Subject + "”"
	}
	switch c.Kind {
	case farm.CauseFootage:
		if c.Subject == "" {
			return verb("lacks", "lack") + " a file of the project"
		}
		return verb("lacks", "lack") + " the file " + c.Subject
	case farm.CauseFont:
		return verb("needs", "need") + " " + of("the font")
	case farm.CauseComposition:
		return verb("names", "name") + " a composition that the project does not have" + colon(c.Subject)
	case farm.CauseLayer:
		return verb("names", "name") + " a layer that the composition does not have" + colon(c.Subject)
	case farm.CauseExpression:
		return verb("has", "have") + " an expression or script that fails" + colon(c.Subject)
	case farm.CauseAsset:
		return verb("brings", "bring") + " something that cannot be used" + colon(c.Subject)
	case farm.CauseSecret:
		return verb("needs", "need") + " " + of("the secret")
	case farm.CauseTemplate:
		return verb("uses", "use") + " a project that cannot be read" + colon(name)
	case farm.CauseEffect:
		return verb("needs", "need") + " a plug-in that no machine has" + colon(c.Subject)
	case farm.CauseLicence:
		return verb("got", "got") + " no licence of After Effects or a plug-in"
	case farm.CauseEngine:
		return "The engine stopped while it rendered " + plainJobs(jobs) + colon(c.Subject)
	case farm.CauseMemory:
		return "Not enough memory for " + plainJobs(jobs) + on(name)
	case farm.CauseDisk:
		return "No room on the disk for " + plainJobs(jobs) + on(name)
	case farm.CauseMachine:
		return verb("failed", "failed") + " because of a machine" + colon(name)
	case farm.CauseFrames:
		return "Frames of " + plainJobs(jobs) + " came out missing or damaged"
	case farm.CauseDelivery:
		return "The results of " + plainJobs(jobs) + " could not be delivered" + to(c.Subject)
	case farm.CauseTime:
		return verb("took", "took") + " longer than a render may"
	}
	if c.Subject == "" {
		return verb("failed for a reason of its own", "failed for reasons of their own")
	}
	return verb("failed", "failed") + colon(c.Subject)
}

func plainJobs(n int) string {
	if n == 1 {
		return "1 job"
	}
	return fmt.Sprintf("%d jobs", n)
}

func colon(what string) string {
	if what == "" {
		return ""
	}
	return ": " + what
}

func on(machine string) string {
	if machine == "" {
		return ""
	}
	return " on " + machine
}

func to(where string) string {
	if where == "" {
		return ""
	}
	return " to " + where
}

// CauseKind is a kind of cause in a word or two, for a column or a chart.
func CauseKind(k farm.CauseKind) string {
	switch k {
	case farm.CauseFootage:
		return "missing footage"
	case farm.CauseFont:
		return "missing font"
	case farm.CauseComposition:
		return "unknown composition"
	case farm.CauseLayer:
		return "unknown layer"
	case farm.CauseExpression:
		return "expression or script"
	case farm.CauseAsset:
		return "unusable asset"
	case farm.CauseSecret:
		return "unknown secret"
	case farm.CauseTemplate:
		return "unreadable project"
	case farm.CauseEffect:
		return "missing plug-in"
	case farm.CauseLicence:
		return "no licence"
	case farm.CauseEngine:
		return "engine stopped"
	case farm.CauseMemory:
		return "memory full"
	case farm.CauseDisk:
		return "disk full"
	case farm.CauseMachine:
		return "machine"
	case farm.CauseFrames:
		return "damaged frames"
	case farm.CauseDelivery:
		return "not delivered"
	case farm.CauseTime:
		return "too long"
	}
	return "other"
}
