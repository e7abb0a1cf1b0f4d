package farm

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
)

// Bounds of a Policy, which is stored in one record and read whole.
const (
	MaxPolicyTeams  = 1000
	MaxPolicyLimits = 200
	maxHours        = 50
	maxLimitEffects = 200
	maxPolicyCount  = 1_000_000 // of machines, tasks, ranges or tries
	maxWeight       = 1000
	maxRangeSeconds = 24 * 60 * 60
)

// limitName is the form of a limit's name, which is part of addresses.
var limitName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// LimitName says whether name may name a limit: a letter or digit, then up to 63 letters, digits, dots, dashes and
// underscores.
func LimitName(name string) bool { return limitName.MatchString(name) }

// Levels are all levels, from the most to the least urgent.
func Levels() []Level { return []Level{LevelRush, LevelNormal, LevelOvernight} }

// Known says whether l is one of the levels.
func (l Level) Known() bool { return slices.Contains(Levels(), l) }

// problems collects what is wrong with a policy.
type problems []FieldError

func (p *problems) add(wrong bool, field, format string, args ...any) {
	if wrong {
		*p = append(*p, Field(field, format, args...))
	}
}

func (p *problems) count(field string, n int) {
	p.add(n < 0 || n > maxPolicyCount, field, "has to be between 0 and %d", maxPolicyCount)
}

// Problems are what is wrong with the policy itself, in the order of its fields. It does not check that its teams exist.
func (p Policy) Problems() []FieldError {
	var wrong problems
	for _, level := range slices.Sorted(maps.Keys(p.Levels)) {
		wrong.level("levels."+string(level), level, p.Levels[level])
	}
	wrong.add(len(p.Teams) > MaxPolicyTeams, "teams", "has to have at most %d entries", MaxPolicyTeams)
	for _, id := range slices.Sorted(maps.Keys(p.Teams)) {
		team, at := p.Teams[id], "teams."+id
		wrong.add(math.IsNaN(team.Weight) || team.Weight < 0 || team.Weight > maxWeight, at+".weight", "has to be above 0, up to %d", maxWeight)
		wrong.count(at+".maxMachines", team.MaxMachines)
	}
	wrong.add(len(p.Limits) > MaxPolicyLimits, "limits", "has to have at most %d entries", MaxPolicyLimits)
	for _, name := range slices.Sorted(maps.Keys(p.Limits)) {
		wrong.limit("limits."+name, name, p.Limits[name])
	}
	s := p.Split.MinSeconds
	wrong.add(math.IsNaN(s) || s < 0 || s > maxRangeSeconds, "split.minSeconds", "has to be between 0 and %d", maxRangeSeconds)
	wrong.count("split.maxRanges", p.Split.MaxRanges)
	wrong.add(p.Retry.MaxAttempts < 0 || p.Retry.MaxAttempts > MostAttempts, "retry.maxAttempts", "has to be between 0 and %d", MostAttempts)
	wrong.count("retry.maxJobFailures", p.Retry.MaxJobFailures)
	wrong.count("retry.setAsideAfter", p.Retry.SetAsideAfter)
	role := p.Scripts.Role
	wrong.add(role != "" && !role.Allows(ActSubmit.Grant().Least), "scripts.role", "has to be one of %v", Roles()[1:])
	wrong.count("maxMachinesPerJob", p.MaxMachinesPerJob)
	wrong.count("maxSlotsPerMachine", p.MaxSlotsPerMachine)
	return wrong
}

func (p *problems) level(at string, level Level, l LevelPolicy) {
	p.add(!level.Known(), at, "is not a level; the levels are rush, normal and overnight")
	p.add(math.IsNaN(l.MaxShare) || l.MaxShare < 0 || l.MaxShare > 1, at+".maxShare", "has to be above 0, up to 1; leave it out for all of the farm")
	p.add(l.Role != "" && level != LevelRush, at+".role", "can only be set for rush: whoever may submit may choose the other levels")
	p.add(l.Role != "" && !l.Role.Allows(ActSubmit.Grant().Least), at+".role", "has to be one of %v", Roles()[1:])
	p.add(len(l.Hours) > maxHours, at+".hours", "has to have at most %d entries", maxHours)
	for i, h := range l.Hours {
		in := fmt.Sprintf("%s.hours[%d]", at, i)
		p.add(h.From < 0 || h.From >= 24*60, in+".from", "has to be a time of the day")
		p.add(h.To < 0 || h.To >= 24*60, in+".to", "has to be a time of the day")
		for k, day := range h.Days {
			p.add(day < 0 || day > 6, fmt.Sprintf("%s.days[%d]", in, k), "is not a day of the week")
			p.add(slices.Contains(h.Days[:k], day), fmt.Sprintf("%s.days[%d]", in, k), "is listed twice")
		}
	}
}

func (p *problems) limit(at, name string, l LimitPolicy) {
	p.add(!LimitName(name), at, "is not a valid name for a limit: it has to begin with a letter or digit, and have up to 64 letters, digits, dots, dashes and underscores")
	p.count(at+".total", l.Total)
	p.count(at+".perMachine", l.PerMachine)
	p.add(len(l.Effects) > maxLimitEffects, at+".effects", "has to have at most %d entries", maxLimitEffects)
	for i, effect := range l.Effects {
		p.add(effect == "" || effect == "*" || len(effect) > 200, fmt.Sprintf("%s.effects[%d]", at, i), "has to be a match name of 1 to 200 bytes, or a prefix followed by *")
	}
}

// Clone is a copy that shares nothing with the policy.
func (p Policy) Clone() Policy {
	p.Levels, p.Teams, p.Limits = maps.Clone(p.Levels), maps.Clone(p.Teams), maps.Clone(p.Limits)
	for level, l := range p.Levels {
		l.Hours = slices.Clone(l.Hours)
		for i := range l.Hours {
			l.Hours[i].Days = slices.Clone(l.Hours[i].Days)
		}
		p.Levels[level] = l
	}
	for name, l := range p.Limits {
		l.Effects = slices.Clone(l.Effects)
		p.Limits[name] = l
	}
	return p
}
