package jobs

import (
	"time"

	"overcrank/cmd/overcrank/commands/remote"
)

// Scheduling say where jobs stand in line, and which machines may have them.
type Scheduling struct {
	Priority     int      `help:"-1000 to 1000, larger first."`
	Level        string   `help:"rush, normal or overnight." complete:"level"`
	NotBefore    string   `help:"Earliest start: a day, a time, or in how long, such as 2027-01-31 or 2h." placeholder:"WHEN"`
	RequireTag   []string `help:"Only on machines with all of these tags." placeholder:"TAG"`
	AnyTag       []string `help:"Only on machines with one of these tags." placeholder:"TAG"`
	NoTag        []string `help:"Only on machines with none of these tags." placeholder:"TAG"`
	MinMemory    string   `help:"Only on machines with at least this much memory, such as 32GB." placeholder:"SIZE"`
	OS           string   `help:"Only on machines with this system: windows, macos or linux." name:"os" placeholder:"SYSTEM"`
	Project      string   `help:"Project that its machine hours count for, by name or id." complete:"project"`
	Limit        []string `help:"Limits of the farm, such as licences, that each of its tasks counts against." placeholder:"NAME" complete:"limit"`
	MaxMachines  int      `help:"Maximum number of machines that render it at once; 0 for the farm's limit."`
	MaxAttempts  int      `help:"Failed attempts at a task after which the job fails; 0 for the farm's number."`
	PreviewFirst bool     `help:"Render the first, the middle and the last frame before the rest."`
	Approve      bool     `help:"Render the sample frames only, and the rest after: overcrank jobs approve JOB."`
	Sequential   bool     `help:"Each frame depends on those before it, as in a simulation: one machine renders the film as a whole."`
}

// Add puts what was given into a request.
func (f Scheduling) Add(body map[string]any, now time.Time) error {
	if f.NotBefore != "" {
		at, err := remote.TimeToCome("not-before", f.NotBefore, now)
		if err != nil {
			return err
		}
		body["notBefore"] = at.UTC().Format(time.RFC3339)
	}
	for key, text := range map[string]string{"level": f.Level, "minMemory": f.MinMemory, "os": f.OS, "project": f.Project} {
		if text != "" {
			body[key] = text
		}
	}
	for key, list := range map[string][]string{"requireTags": f.RequireTag, "anyTags": f.AnyTag, "noTags": f.NoTag, "limits": f.Limit} {
		if len(list) > 0 {
			body[key] = list
		}
	}
	for key, n := range map[string]int{"priority": f.Priority, "maxMachines": f.MaxMachines, "maxAttempts": f.MaxAttempts} {
		if n != 0 {
			body[key] = n
		}
	}
	for key, yes := range map[string]bool{"previewFirst": f.PreviewFirst, "approve": f.Approve, "sequential": f.Sequential} {
		if yes {
			body[key] = true
		}
	}
	return nil
}
