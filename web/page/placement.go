package page

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"overcrank/coordinator/notices"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// JobView is a job's own page.
type JobView struct {
	Reviews JobReviews
	Job
	Placement *farm.Placement     // why it waits; nil for a job that has ended
	Samples   []int               // frames that were rendered to be looked at first
	Cure      *FailureGroup       // why it failed, and what helps; nil where nobody has to deal with that
	Timeline  Timeline            // when machines worked on it
	Tasks     Tasks               // of which only some are shown
	Level     farm.Level          // in force, with normal for none
	Levels    []farm.Level        // to choose from
	Paused    map[farm.Level]bool // levels at which nothing new begins
	// Version is that of the template with which the rendering began, or would begin now, 0 when not known; VersionNow that which it has now.
	Version, VersionNow int
	Since               []Change         // what changed in its template after the version that it renders; nil when that is not known
	Watching            notices.Watching // whether the reader is told when the job has ended
}

// sinceShown is how many changes of a template a job's page lists.
const sinceShown = 20

// NeedsApproval tells whether somebody has to look at the job's first frames before it goes on.
func (v JobView) NeedsApproval() bool {
	return v.Approve && v.ApprovedAt.IsZero() && !v.Status.Ended() && len(v.Samples) > 0
}

// waits tells whether something of the job waits for a machine.
func (v JobView) waits() bool {
	return v.Placement != nil && v.Placement.Why != "" && !v.Status.Ended()
}

// left says how long the job is likely to take yet, "" when nobody can tell.
func (j Job) left() string {
	if j.Finish == nil {
		return ""
	}
	if j.Finish.High <= 0 && j.Finish.Learning {
		return wording.Title(wording.Span(*j.Finish))
	}
	return "Done " + wording.In(*j.Finish)
}

// placeWords say where in line the job stands.
func placeWords(p farm.Placement) string {
	switch {
	case p.Place == 0:
		return ""
	case p.PlaceAtLeast:
		return "behind at least " + grouped(p.Place-1) + " others"
	case p.Place == 1 && p.Fitting > 0:
		return "next"
	case p.Place == 1:
		return "first in line"
	}
	return fmt.Sprintf("%s in line", ordinal(p.Place))
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		suffix = cmp.Or(map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10], "th")
	}
	return fmt.Sprint(n) + suffix
}

// requirementWord is the kind of a requirement in a word.
func requirementWord(kind string) string {
	words := map[string]string{
		"engine": "Engine", "version": "Version", "font": "Font", "effect": "Effect", "tags": "Tags", "anyTags": "Tags", "noTags": "Tags",
		"memory": "Memory", "os": "System", "failed": "Failures", "avoided": "Failures", "present": "Presence", "limit": "Limit", "codec": "Result", "budget": "Budget",
	}
	return cmp.Or(words[kind], kindTitle(kind))
}

// stuck tells whether the job waits for something that no machine has: somebody has to do something.
func stuck(p farm.Placement) bool { return p.Agents > 0 && p.Fitting == 0 }

// wayOut is where somebody can do something about what no machine meets: what to do there, and the address; "" for nowhere here.
func wayOut(p farm.Placement) (words, href string) {
	if p.Agents == 0 && p.Task != "" {
		return "To the machines", "/machines"
	}
	if slices.ContainsFunc(p.Requirements, func(r farm.Requirement) bool { return r.Kind == "budget" }) {
		return "Look at the budget", "/projects"
	}
	if !stuck(p) {
		return "", ""
	}
	for _, r := range p.Requirements {
		if r.RulesOut < p.Agents {
			continue
		}
		switch r.Kind {
		case "tags", "anyTags", "noTags":
			return "Change a machine’s tags", "/machines"
		case "font":
			return "Add the font", "/settings/fonts"
		default:
			return "Look at the machines", "/machines"
		}
	}
	return "", ""
}

// rulesOutWords say how many of the connected machines a requirement rules out.
func rulesOutWords(r farm.Requirement, agents int) string {
	switch r.RulesOut {
	case 0:
		return "every machine has it"
	case agents:
		return "no machine: rules out all " + grouped(agents)
	}
	return "rules out " + grouped(r.RulesOut) + " of " + grouped(agents)
}

// requirementState is a requirement as a mark: what no machine meets is what keeps the job.
func requirementState(r farm.Requirement, agents int) State {
	switch r.RulesOut {
	case 0:
		return State{"Met", "finished"}
	case agents:
		return State{"Met by none", "error"}
	}
	return State{"Met by some", "waiting"}
}

// LevelWord is a level as people call it.
func LevelWord(l farm.Level) string { return kindTitle(string(cmp.Or(l, farm.LevelNormal))) }

// orderWords say where a job stands in line by what it was given.
func orderWords(j farm.Job) string {
	if j.Priority == 0 {
		return LevelWord(j.Level)
	}
	return fmt.Sprintf("%s, priority %d", LevelWord(j.Level), j.Priority)
}

// levelHelp says what a level means.
func levelHelp(l farm.Level) string {
	switch l {
	case farm.LevelRush:
		return "Rush: before everything else"
	case farm.LevelOvernight:
		return "Overnight: when there is time"
	}
	return "Normal"
}

// localTime is a time for a field of a form, in UTC; "" for none. The page's script shows it on the reader's clock.
func localTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04")
}
