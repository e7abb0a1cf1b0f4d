package templates

import (
	"slices"

	"overcrank/farm"
)

const (
	readers         = 2 // template files read at once
	readersOfTeam   = 1 // of one team
	downloads       = 4 // template files downloaded at once
	downloadsOfTeam = 3 // of one team: what it names may be slow
)

// turnKind is what turns are taken at.
type turnKind int

const (
	turnRead turnKind = iota
	turnDownload
)

func turnOf(t farm.Template) turnKind {
	if t.Status == farm.TemplateDownloading {
		return turnDownload
	}
	return turnRead
}

// turns says whose turn it is, where only some can be served at once: that of the team with the fewest under way, of those the one that has
// waited longest. No team may take all turns, so that another one that comes is served at once.
type turns struct {
	all, each int            // how many may be under way, and how many of one team
	open      int            // how many are
	by        map[string]int // the same, by team
	count     int            // of turns so far
	last      map[string]int // at which of them a team had its last one
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
