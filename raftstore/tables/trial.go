//go:build trial_level

package tables

import (
	"strings"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// This file has the rules of the release to come that command/newest_trial.go stands for.

func trialRegistry() []rule {
	return []rule{does(129, func(t *tables, c command.Trial) command.Result {
		return t.putTeam(command.PutTeam{Team: farm.Team{ID: c.Team}})
	})}
}

// trialTeam is a rule that the release to come changes: a team is called by its id in capital letters when it has no name.
func (t *tables) trialTeam(team farm.Team) farm.Team {
	if t.since(command.NewestLevel) && team.Name == "" {
		team.Name = strings.ToUpper(team.ID)
	}
	return team
}
