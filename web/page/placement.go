package page

import (
	"cmp"
	"context"
	"slices"
	"time"

	"overcrank/aep"
	"overcrank/coordinator/notices"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
)

// JobView is a job's own page.
type JobView struct {
	Reviews JobReviews
	Job
	Mended    bool                // frames of the sequence were rendered again, so that it can be downloaded with these in their places
	Placement *farm.Placement     // why it waits; nil for a job that has ended
	Shared    bool                // machines share the film, so that single frames of it can be rendered again; said while it renders
	Samples   []int               // frames that were rendered to be looked at first
	Cure      *FailureGroup       // why it failed, and what helps; nil where nobody has to deal with that
	Timeline  Timeline            // when machines worked on it
	Tasks     Tasks               // of which only some are shown
	Level     farm.Level          // in force, with normal for none
	Levels    []farm.Level        // to choose from
	Sent      *Place              // the place in line that was typed and refused; nil for what the farm has
	Again     FramesAgain         // what was typed into the form that has frames rendered again, and refused
	Refused   *NewReview          // the review link that was asked for and refused; nil for none
	Paused    map[farm.Level]bool // levels at which nothing new begins
	// Version is that of the template with which the rendering began, or would begin now, 0 when not known; VersionNow that which it has now.
	Version, VersionNow int
	Since               []aep.Change     // what changed in its template after the version that it renders; nil when that is not known
	Watching            notices.Watching // whether the reader is told when the job has ended
}

// sinceShown is how many changes of a template a job's page lists.
const sinceShown = 20

// NeedsApproval tells whether somebody has to look at the job's first frames before it goes on.
func (v JobView) NeedsApproval() bool { return NeedsApproval(v.Job.Job) && len(v.Samples) > 0 }

// NeedsApproval tells whether somebody may yet approve or reject a job.
func NeedsApproval(j farm.Job) bool { return j.Approve && j.ApprovedAt.IsZero() && !j.Status.Ended() }

// waits tells whether something of the job waits for a machine.
func (v JobView) waits() bool {
	return v.Placement != nil && !v.Placement.Why.IsZero() && !v.Status.Ended()
}

// left says how long the job is likely to take yet, "" when nobody can tell.
func (j Job) left(ctx context.Context) string {
	if j.Finish == nil {
		return ""
	}
	if j.Finish.High <= 0 && j.Finish.Learning {
		return wording.Title(inWords(ctx).Span(*j.Finish))
	}
	return say(ctx, "Done %s", inWords(ctx).In(*j.Finish))
}

// placeWords say where in line the job stands.
func placeWords(ctx context.Context, p farm.Placement) string {
	switch {
	case p.Place == 0:
		return ""
	case p.PlaceAtLeast:
		return many(ctx, p.Place-1, "behind at least %d others", "behind at least %d others")
	case p.Place == 1 && p.Fitting > 0:
		return say(ctx, "next")
	case p.Place == 1:
		return say(ctx, "first in line")
	}
	return say(ctx, "%s in line", ordinal(ctx, p.Place))
}

// ordinal is the number of a place as the reader's language writes it.
func ordinal(ctx context.Context, n int) string {
	switch language.In(ctx) {
	case farm.German:
		return count(n) + "."
	case farm.French:
		return count(n) + "e" // the first place has words of its own
	}
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		suffix = cmp.Or(map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10], "th")
	}
	return count(n) + suffix
}

// requirementWord is the kind of a requirement in a word.
func requirementWord(ctx context.Context, kind string) string {
	words := map[string]string{
		"engine": language.Text("Engine"), "version": language.Text("Version"), "font": language.Text("Font"), "effect": language.Text("Effect"),
		"tags": language.Text("Tags"), "anyTags": language.Text("Tags"), "noTags": language.Text("Tags"), "memory": language.Text("Memory"),
		"os": language.Text("System"), "failed": language.Text("Failures"), "avoided": language.Text("Failures"), "present": language.Text("Presence"),
		"limit": language.Text("Limit"), "codec": language.Text("Result"), "budget": language.Text("Budget"),
	}
	return say(ctx, cmp.Or(words[kind], kindTitle(kind)))
}

// stuck tells whether the job waits for something that no machine has: somebody has to do something.
func stuck(p farm.Placement) bool { return p.Agents > 0 && p.Fitting == 0 }

// wayOut is where a reader can do something about what no machine meets, or see whom to ask: what to do there, and the address; "" for nowhere here.
func wayOut(s Shell, p farm.Placement) (words, href string) {
	if p.Agents == 0 && p.Task != "" {
		return language.Text("To the machines"), "/machines"
	}
	if slices.ContainsFunc(p.Requirements, func(r farm.Requirement) bool { return r.Kind == "budget" }) {
		return language.Text("Look at the budget"), "/projects"
	}
	if !stuck(p) {
		return "", ""
	}
	for _, r := range p.Requirements {
		if r.RulesOut < p.Agents {
			continue
		}
		switch {
		case slices.Contains([]string{"tags", "anyTags", "noTags"}, r.Kind) && s.Can(farm.ActRunMachines):
			return language.Text("Change a machine’s tags"), "/machines"
		case r.Kind == "font" && s.Can(farm.ActAddFonts):
			return language.Text("Add the font"), "/settings/fonts"
		default:
			return language.Text("Look at the machines"), "/machines"
		}
	}
	return "", ""
}

// rulesOutWords say how many of the connected machines a requirement rules out.
func rulesOutWords(ctx context.Context, r farm.Requirement, agents int) string {
	switch r.RulesOut {
	case 0:
		return say(ctx, "every machine has it")
	case agents:
		return say(ctx, "no machine has it")
	}
	return say(ctx, "rules out %d of %d", r.RulesOut, agents)
}

// requirementState is a requirement as a mark: what no machine meets is what keeps the job.
func requirementState(r farm.Requirement, agents int) State {
	switch r.RulesOut {
	case 0:
		return State{language.Text("met"), "finished"}
	case agents:
		return State{language.Text("met by none"), "error"}
	}
	return State{language.Text("met by some"), "waiting"}
}

// levelNames are what levels are called.
var levelNames = map[farm.Level]string{
	farm.LevelRush: language.Text("rush"), farm.LevelNormal: language.Text("normal"), farm.LevelOvernight: language.Text("overnight"),
}

// levelName is a level as people call it within a sentence. One of a later release is said as it comes.
func levelName(ctx context.Context, l farm.Level) string {
	l = cmp.Or(l, farm.LevelNormal)
	return say(ctx, cmp.Or(levelNames[l], string(l)))
}

// LevelWord is a level as people call it.
func LevelWord(ctx context.Context, l farm.Level) string { return wording.Title(levelName(ctx, l)) }

// orderWords say where a job stands in line by what it was given.
func orderWords(ctx context.Context, j farm.Job) string {
	if j.Priority == 0 {
		return LevelWord(ctx, j.Level)
	}
	return say(ctx, "%s, priority %s", LevelWord(ctx, j.Level), count(j.Priority))
}

// levelHelp says what a level means.
func levelHelp(ctx context.Context, l farm.Level) string {
	switch l {
	case farm.LevelRush:
		return say(ctx, "Rush: before everything else")
	case farm.LevelOvernight:
		return say(ctx, "Overnight: when there is time")
	}
	return LevelWord(ctx, farm.LevelNormal)
}

// localTime is a time for a field of a form, in UTC; "" for none. The page's script shows it on the reader's clock.
func localTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04")
}
