package farmv1

import (
	"strings"

	"overcrank/api/input"
	"overcrank/farm"
)

// policyChange is what a request wants of the policy.
type policyChange struct {
	revision *int // from which it was made; nil for whichever is in force
	changes  []func(*farm.Policy)
}

func (p policyChange) change(policy *farm.Policy) {
	for _, change := range p.changes {
		change(policy)
	}
}

func (p *policyChange) add(change func(*farm.Policy)) { p.changes = append(p.changes, change) }

// decodePolicy reads a policy, or a change of one: what it does not name stays, and what it names as null is taken out of the lists
// of teams and limits. A whole one has to name the revision that it was made from. When and by whom it was set may stand there, as
// in an answer, and counts for nothing.
func decodePolicy(body []byte, whole bool) (policyChange, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return policyChange{}, err
	}
	o.Only("revision", "at", "by", "paused", "maxMachinesPerJob", "maxSlotsPerMachine", "levels", "teams", "limits", "split", "retry", "scripts")
	var p policyChange
	if n, given := o.Whole("revision", 0, 1<<31-1); given {
		p.revision = &n
	} else if whole {
		o.Need("revision")
	}
	if paused := o.Boolean("paused"); paused != nil {
		p.add(func(policy *farm.Policy) { policy.Paused = *paused })
	}
	if n, given := o.Whole("maxMachinesPerJob", 0, input.MostCount); given {
		p.add(func(policy *farm.Policy) { policy.MaxMachinesPerJob = n })
	}
	if n, given := o.Whole("maxSlotsPerMachine", 0, input.MostCount); given {
		p.add(func(policy *farm.Policy) { policy.MaxSlotsPerMachine = n })
	}
	if levels, given := o.Child("levels"); given {
		p.add(levelsChange(readLevels(levels)))
	}
	readShares(o, &p)
	readLimits(o, &p)
	readSplit(o, &p)
	readRetry(o, &p)
	readScripts(o, &p)
	return p, wrong.Err()
}

func levelsChange(levels map[farm.Level]func(farm.LevelPolicy) farm.LevelPolicy) func(*farm.Policy) {
	return func(policy *farm.Policy) {
		if policy.Levels == nil {
			policy.Levels = map[farm.Level]farm.LevelPolicy{}
		}
		for level, change := range levels {
			policy.Levels[level] = change(policy.Levels[level])
		}
	}
}

// readLevels reads what is to be different about levels.
func readLevels(o input.Object) map[farm.Level]func(farm.LevelPolicy) farm.LevelPolicy {
	o.Only("rush", "normal", "overnight")
	changes := map[farm.Level]func(farm.LevelPolicy) farm.LevelPolicy{}
	for _, level := range farm.Levels() {
		if child, given := o.Child(string(level)); given {
			changes[level] = readLevel(child)
		}
	}
	return changes
}

// readHours reads windows of the week.
func readHours(o input.Object) (hours []farm.Hours) {
	for i, text := range o.Texts("hours", input.NameLimit) {
		h, err := farm.ParseHours(text)
		if err != nil {
			o.Wrong.Add(input.ElementPath(o.Field("hours"), i), "%s", err)
		}
		hours = append(hours, h)
	}
	return hours
}

func readLevel(o input.Object) func(farm.LevelPolicy) farm.LevelPolicy {
	o.Only("paused", "maxShare", "hours", "role")
	paused := o.Boolean("paused")
	share, shared := o.Number("maxShare")
	if shared && (share <= 0 || share > 1) {
		o.Problem("maxShare", "has to be above 0, up to 1, which is all of the farm")
	}
	hours := readHours(o)
	timed := o.Has("hours")
	role := farm.Role(o.Choice("role", roleNames()[1:]...))
	return func(l farm.LevelPolicy) farm.LevelPolicy {
		if paused != nil {
			l.Paused = *paused
		}
		if shared {
			l.MaxShare = share
		}
		if timed {
			l.Hours = hours
		}
		if role != "" {
			l.Role = role
		}
		return l
	}
}

// readShares reads what teams get.
func readShares(o input.Object, p *policyChange) {
	teams, given := o.Child("teams")
	if !given {
		return
	}
	for _, id := range teams.Names() {
		if !teams.Has(id) {
			p.add(func(policy *farm.Policy) { delete(policy.Teams, id) })
			continue
		}
		t, isObject := teams.Child(id)
		if !isObject {
			continue
		}
		t.Only("weight", "maxMachines")
		weight, weighed := t.Number("weight")
		if weighed && (weight <= 0 || weight > 1000) {
			t.Problem("weight", "has to be above 0, up to 1000")
		}
		most, counted := t.Whole("maxMachines", 0, input.MostCount)
		p.add(func(policy *farm.Policy) {
			if policy.Teams == nil {
				policy.Teams = map[string]farm.TeamPolicy{}
			}
			share := policy.Teams[id]
			if weighed {
				share.Weight = weight
			}
			if counted {
				share.MaxMachines = most
			}
			policy.Teams[id] = share
		})
	}
}

func readLimits(o input.Object, p *policyChange) {
	limits, given := o.Child("limits")
	if !given {
		return
	}
	for _, name := range limits.Names() {
		if !limits.Has(name) {
			p.add(func(policy *farm.Policy) { delete(policy.Limits, name) })
			continue
		}
		if l, isObject := limits.Child(name); isObject {
			limit := readLimit(l)
			p.add(func(policy *farm.Policy) {
				if policy.Limits == nil {
					policy.Limits = map[string]farm.LimitPolicy{}
				}
				policy.Limits[name] = limit
			})
		}
	}
}

func readLimit(o input.Object) farm.LimitPolicy {
	o.Only("total", "perMachine", "byMachine", "effects")
	limit := farm.LimitPolicy{ByMachine: o.Flag("byMachine"), Effects: o.Texts("effects", input.NameLimit)}
	o.Need("total")
	limit.Total, _ = o.Whole("total", 0, input.MostCount)
	limit.PerMachine, _ = o.Whole("perMachine", 0, input.MostCount)
	for i, effect := range limit.Effects {
		if strings.Contains(strings.TrimSuffix(effect, "*"), "*") || effect == "*" {
			o.Wrong.Add(input.ElementPath(o.Field("effects"), i), "has to be a match name, or the beginning of one followed by *")
		}
	}
	return limit
}

func readSplit(o input.Object, p *policyChange) {
	s, given := o.Child("split")
	if !given {
		return
	}
	s.Only("off", "minSeconds", "maxRanges")
	off := s.Boolean("off")
	seconds, timed := s.Number("minSeconds")
	ranges, counted := s.Whole("maxRanges", 0, input.MostCount)
	p.add(func(policy *farm.Policy) {
		if off != nil {
			policy.Split.Off = *off
		}
		if timed {
			policy.Split.MinSeconds = seconds
		}
		if counted {
			policy.Split.MaxRanges = ranges
		}
	})
}

// readScripts reads whose jobs may bring scripts.
func readScripts(o input.Object, p *policyChange) {
	scripts, given := o.Child("scripts")
	if !given {
		return
	}
	scripts.Only("role")
	if role := farm.Role(scripts.Choice("role", roleNames()[1:]...)); role != "" {
		p.add(func(policy *farm.Policy) { policy.Scripts.Role = role })
	}
}

func readRetry(o input.Object, p *policyChange) {
	r, given := o.Child("retry")
	if !given {
		return
	}
	r.Only("maxAttempts", "maxJobFailures", "setAsideAfter")
	for _, field := range []struct {
		key  string
		most int
		at   func(*farm.Policy) *int
	}{
		{"maxAttempts", farm.MostAttempts, func(p *farm.Policy) *int { return &p.Retry.MaxAttempts }},
		{"maxJobFailures", input.MostCount, func(p *farm.Policy) *int { return &p.Retry.MaxJobFailures }},
		{"setAsideAfter", input.MostCount, func(p *farm.Policy) *int { return &p.Retry.SetAsideAfter }},
	} {
		if n, given := r.Whole(field.key, 0, field.most); given {
			p.add(func(policy *farm.Policy) { *field.at(policy) = n })
		}
	}
}
