package page

import (
	"strings"

	"overcrank/farm"
)

// acts are the names of what the menu of a row offers of a job in its state to a reader in their role, with spaces between them.
func (j Job) acts(s Shell) string {
	ended, submits := j.Status.Ended(), s.Can(farm.ActSubmit)
	changes := s.Can(farm.ActChangeJobs)
	var can []string
	for _, act := range []struct {
		name string
		can  bool
	}{
		{"download", j.Reachable()},
		{"hold", changes && Holdable(j.Job)},
		{"release", changes && j.Hold && !ended},
		{"resubmit", changes && submits && ended && j.Parent == ""},
		{"edit", changes && submits && j.Job.Template.ID != ""},
		{"order", changes && !ended},
		{"cancel", changes && !ended},
	} {
		if act.can {
			can = append(can, act.name)
		}
	}
	return strings.Join(can, " ")
}

// Holdable says whether a job can be kept back: it has not ended, and is not held.
func Holdable(j farm.Job) bool { return !j.Status.Ended() && !j.Hold }
