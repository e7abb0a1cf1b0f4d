package coordinator

import (
	"slices"

	"overcrank/farm"
)

const (
	readers        = 2 // template files read at once
	readersOfTeam  = 1 // of one team
	fetchers       = 4 // template files downloaded at once
	fetchersOfTeam = 3 // of one team: what it names may be slow
)

// turnKind is what turns are taken at.
type turnKind int

const (
	turnRead turnKind = iota
	turnFetch
)

func turnOf(t farm.Template) turnKind {
	if t.Status == farm.TemplateDownloading {
		return turnFetch
	}
	return turnRead
}

// turns says whose turn it is, where only some can be served at once: the team's that has the fewest under way, of those the one that has
// waited longest for its turn. No team has all, so that another one that comes is served at once.
type turns struct {
	all, each int
	open      int
	by        map[string]int // under way, by team
	count     int
	last      map[string]int // when a team had its last turn, in turns
}

func newTurns(all, each int) *turns {
	return &turns{all: all, each: each, by: map[string]int{}, last: map[string]int{}}
}

// choose takes those whose turn it is out of a list, the oldest of a team first, and counts them as under way.
func (t *turns) choose(list []farm.Template) (chosen []farm.Template) {
	waiting := map[string][]farm.Template{}
	var teams []string
	for _, item := range list {
		if waiting[item.Team] == nil {
			teams = append(teams, item.Team)
		}
		waiting[item.Team] = append(waiting[item.Team], item)
	}
	for t.open < t.all {
		teams = slices.DeleteFunc(teams, func(team string) bool { return len(waiting[team]) == 0 || t.by[team] >= t.each })
		if len(teams) == 0 {
			break
		}
		team := slices.MinFunc(teams, func(a, b string) int {
			if t.by[a] != t.by[b] {
				return t.by[a] - t.by[b]
			}
			return t.last[a] - t.last[b]
		})
		chosen = append(chosen, waiting[team][0])
		waiting[team] = waiting[team][1:]
		t.open++
		t.by[team]++
		t.count++
		t.last[team] = t.count
	}
	return chosen
}

// end counts one of a team's as no longer under way.
func (t *turns) end(team string) {
	t.open--
	if t.by[team]--; t.by[team] == 0 {
		delete(t.by, team)
	}
}
