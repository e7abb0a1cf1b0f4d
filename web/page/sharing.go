package page

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/web/language"
)

// Sharing is the form of the farm's policy. Fields hold what people wrote, so that what is refused stands there to be mended.
type Sharing struct {
	Revision string
	Levels   []LevelFields
	Teams    []TeamFields
	Limits   []LimitFields

	SplitOff                               bool
	MinSeconds, MaxRanges, MaxMachines     string
	MaxAttempts, MaxFailures, SetAsideFrom string
	MaxSlots                               string

	Now      SharingNow
	At       time.Time // by the coordinator's clock
	InForce  farm.Policy
	Error    string // of the whole form
	Conflict bool   // somebody else changed the policy meanwhile
	Problems []farm.FieldError
	Saved    bool
}

// LevelFields are the fields of a level.
type LevelFields struct {
	Level        farm.Level
	Share, Hours string       // percent of the farm; windows of the week, one to a line
	Drawn        []farm.Hours // what is marked in the drawing of them
	Role         farm.Role    // the least that may choose it, "" for the farm's own measure
}

// TeamFields are the fields of a team.
type TeamFields struct{ ID, Name, Weight, Most string }

// LimitFields are the fields of a limit. Was is its name in the policy, "" for one that is added.
type LimitFields struct {
	Was, Name, Total, PerMachine, Effects string
	ByMachine, Remove                     bool
}

// SharingOf is the form of a policy.
func SharingOf(p farm.Policy, teams []farm.Team) Sharing {
	v := Sharing{
		Revision: strconv.Itoa(p.Revision), SplitOff: p.Split.Off, MinSeconds: decimal(p.Split.MinSeconds), MaxRanges: whole(p.Split.MaxRanges),
		MaxMachines: whole(p.MaxMachinesPerJob), MaxAttempts: whole(p.Retry.MaxAttempts), MaxFailures: whole(p.Retry.MaxJobFailures),
		SetAsideFrom: whole(p.Retry.SetAsideAfter), MaxSlots: whole(p.MaxSlotsPerMachine), InForce: p,
	}
	for _, level := range farm.Levels() {
		l := p.Levels[level]
		v.Levels = append(v.Levels, LevelFields{Level: level, Role: l.Role, Share: decimal(100 * l.MaxShare), Hours: HoursText(l.Hours, "\n"), Drawn: l.Hours})
	}
	for _, t := range teams {
		share := p.Teams[t.ID]
		v.Teams = append(v.Teams, TeamFields{ID: t.ID, Name: t.Name, Weight: decimal(share.Weight), Most: whole(share.MaxMachines)})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Limits)) {
		l := p.Limits[name]
		v.Limits = append(v.Limits, LimitFields{
			Was: name, Name: name, Total: strconv.Itoa(l.Total), PerMachine: whole(l.PerMachine), Effects: strings.Join(l.Effects, ", "), ByMachine: l.ByMachine,
		})
	}
	v.Limits = append(v.Limits, LimitFields{}) // to add one
	return v
}

func decimal(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func whole(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Problem is what is wrong with a field or with what is in it, "" for nothing.
func (v Sharing) Problem(ctx context.Context, field string) string {
	for _, p := range v.Problems {
		if p.Field == field || strings.HasPrefix(p.Field, field+"[") {
			return told(ctx, p.Text())
		}
	}
	return ""
}

// invalid is the value of aria-invalid of a field.
func invalid(ctx context.Context, v Sharing, field string) string {
	return strconv.FormatBool(v.Problem(ctx, field) != "")
}

// sharingFields are what the form calls its fields that are there once.
var sharingFields = map[string]string{
	"split.minSeconds": language.Text("Shortest range, in seconds"), "split.maxRanges": language.Text("Most ranges of a job"),
	"maxMachinesPerJob": language.Text("Machines on one job"), "maxSlotsPerMachine": language.Text("Most tasks at once on one machine"),
	"retry.maxAttempts": language.Text("Attempts of a task"), "retry.maxJobFailures": language.Text("Failed attempts of a job"),
	"retry.setAsideAfter": language.Text("Failures in a row that set a machine aside"), "scripts.role": language.Text("Who may submit scripts"),
}

// sharingParts are what the form calls the fields that each level, team or limit has.
var sharingParts = map[string]string{
	"maxShare": language.Text("At most, % of the farm"), "role": language.Text("Who may choose it"), "hours": language.Text("Hours"),
	"weight": language.Text("Weight"), "maxMachines": language.Text("Machines at once"),
	"total": language.Text("On the farm"), "perMachine": language.Text("On one machine"), "effects": language.Text("Effects"),
}

// SharingProblems say what is wrong with a form of the farm's policy: the first problem, by the names that the form has for its fields, and
// how many more there are.
func SharingProblems(ctx context.Context, wrong []farm.FieldError, teams []farm.Team) string {
	if len(wrong) == 0 {
		return ""
	}
	words := say(ctx, "%s: %s", sharingField(ctx, wrong[0].Field, teams), told(ctx, wrong[0].Text()))
	if more := len(wrong) - 1; more > 0 {
		return many(ctx, more, "%[2]s, and %[1]d more", "%[2]s, and %[1]d more", words)
	}
	return words
}

func sharingField(ctx context.Context, field string, teams []farm.Team) string {
	if words, known := sharingFields[field]; known {
		return say(ctx, words)
	}
	kind, rest, _ := strings.Cut(field, ".")
	whose, part := rest, ""
	if at := strings.LastIndexByte(rest, '.'); at >= 0 && sharingParts[partName(rest[at+1:])] != "" {
		whose, part = rest[:at], sharingParts[partName(rest[at+1:])]
	}
	switch kind {
	case "levels":
		whose = LevelWord(ctx, farm.Level(whose))
	case "teams":
		if i := slices.IndexFunc(teams, func(t farm.Team) bool { return t.ID == whose }); i >= 0 {
			whose = teams[i].Name
		}
	case "limits":
		whose = say(ctx, "Limit “%s”", whose)
	default:
		return field
	}
	if part == "" {
		return whose
	}
	return say(ctx, "%s, %s", whose, say(ctx, part))
}

// partName is the name of a field without which of its entries is meant.
func partName(field string) string {
	name, _, _ := strings.Cut(field, "[")
	return name
}
