package api

import (
	"strings"

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
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return policyChange{}, err
	}
	o.only("revision", "at", "by", "paused", "maxMachinesPerJob", "maxSlotsPerMachine", "levels", "teams", "limits", "split", "retry", "scripts")
	var p policyChange
	if n, given := o.whole("revision", 0, 1<<31-1); given {
		p.revision = &n
	} else if whole {
		o.need("revision")
	}
	if paused := o.boolean("paused"); paused != nil {
		p.add(func(policy *farm.Policy) { policy.Paused = *paused })
	}
	if n, given := o.whole("maxMachinesPerJob", 0, mostCount); given {
		p.add(func(policy *farm.Policy) { policy.MaxMachinesPerJob = n })
	}
	if n, given := o.whole("maxSlotsPerMachine", 0, mostCount); given {
		p.add(func(policy *farm.Policy) { policy.MaxSlotsPerMachine = n })
	}
	if levels, given := o.child("levels"); given {
		p.add(levelsChange(readLevels(levels)))
	}
	readShares(o, &p)
	readLimits(o, &p)
	readSplit(o, &p)
	readRetry(o, &p)
	readScripts(o, &p)
	return p, wrong.err()
}

// mostCount is beyond what anybody means by a number of machines or tasks.
const mostCount = 1_000_000

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
func readLevels(o object) map[farm.Level]func(farm.LevelPolicy) farm.LevelPolicy {
	o.only("rush", "normal", "overnight")
	changes := map[farm.Level]func(farm.LevelPolicy) farm.LevelPolicy{}
	for _, level := range farm.Levels() {
		if child, given := o.child(string(level)); given {
			changes[level] = readLevel(child)
		}
	}
	return changes
}

func readLevel(o object) func(farm.LevelPolicy) farm.LevelPolicy {
	o.only("paused", "maxShare", "hours", "role")
	paused := o.boolean("paused")
	share, shared := o.number("maxShare")
	if shared && (share <= 0 || share > 1) {
		o.problem("maxShare", "has to be above 0, up to 1, which is all of the farm")
	}
	var hours []farm.Hours
	for i, text := range o.texts("hours", nameLimit) {
		h, err := farm.ParseHours(text)
		if err != nil {
			o.wrong.add(elementPath(o.field("hours"), i), "%s", err)
		}
		hours = append(hours, h)
	}
	timed := o.has("hours")
	role := farm.Role(o.choice("role", roleNames()[1:]...))
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
func readShares(o object, p *policyChange) {
	teams, given := o.child("teams")
	if !given {
		return
	}
	for _, field := range teams.fields {
		id := string(field.key)
		if !teams.has(id) {
			p.add(func(policy *farm.Policy) { delete(policy.Teams, id) })
			continue
		}
		t, isObject := teams.child(id)
		if !isObject {
			continue
		}
		t.only("weight", "maxMachines")
		weight, weighed := t.number("weight")
		if weighed && (weight <= 0 || weight > 1000) {
			t.problem("weight", "has to be above 0, up to 1000")
		}
		most, counted := t.whole("maxMachines", 0, mostCount)
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

func readLimits(o object, p *policyChange) {
	limits, given := o.child("limits")
	if !given {
		return
	}
	for _, field := range limits.fields {
		name := string(field.key)
		if !limits.has(name) {
			p.add(func(policy *farm.Policy) { delete(policy.Limits, name) })
			continue
		}
		if l, isObject := limits.child(name); isObject {
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

func readLimit(o object) farm.LimitPolicy {
	o.only("total", "perMachine", "byMachine", "effects")
	limit := farm.LimitPolicy{ByMachine: o.flag("byMachine"), Effects: o.texts("effects", nameLimit)}
	o.need("total")
	limit.Total, _ = o.whole("total", 0, mostCount)
	limit.PerMachine, _ = o.whole("perMachine", 0, mostCount)
	for i, effect := range limit.Effects {
		if strings.Contains(strings.TrimSuffix(effect, "*"), "*") || effect == "*" {
			o.wrong.add(elementPath(o.field("effects"), i), "has to be a match name, or its beginning with a * behind it")
		}
	}
	return limit
}

func readSplit(o object, p *policyChange) {
	s, given := o.child("split")
	if !given {
		return
	}
	s.only("off", "minSeconds", "maxRanges")
	off := s.boolean("off")
	seconds, timed := s.number("minSeconds")
	ranges, counted := s.whole("maxRanges", 0, mostCount)
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
func readScripts(o object, p *policyChange) {
	scripts, given := o.child("scripts")
	if !given {
		return
	}
	scripts.only("role")
	if role := farm.Role(scripts.choice("role", roleNames()[1:]...)); role != "" {
		p.add(func(policy *farm.Policy) { policy.Scripts.Role = role })
	}
}

func readRetry(o object, p *policyChange) {
	r, given := o.child("retry")
	if !given {
		return
	}
	r.only("maxAttempts", "maxJobFailures", "setAsideAfter")
	for _, field := range []struct {
		key  string
		most int
		at   func(*farm.Policy) *int
	}{
		{"maxAttempts", farm.MostAttempts, func(p *farm.Policy) *int { return &p.Retry.MaxAttempts }},
		{"maxJobFailures", mostCount, func(p *farm.Policy) *int { return &p.Retry.MaxJobFailures }},
		{"setAsideAfter", mostCount, func(p *farm.Policy) *int { return &p.Retry.SetAsideAfter }},
	} {
		if n, given := r.whole(field.key, 0, field.most); given {
			p.add(func(policy *farm.Policy) { *field.at(policy) = n })
		}
	}
}
