//go:build trial_level

package raftstore

import (
	"fmt"
	"strings"

	"overcrank/farm"
)

// This file stands for a release to come: with it, tests build a program that knows a level and a command more.

// NewestLevel is one more than that of the program without this file.
const NewestLevel = checkedLevel + 1

// KindTrial is of no release.
const KindTrial Kind = 129

// Trial is a command of the level to come.
type Trial struct{ Team string }

func (Trial) kind() Kind { return KindTrial }
func (Trial) level() int { return NewestLevel }

func decodeTrial(kind Kind, body []byte) (Command, error) {
	if kind == KindTrial {
		return unmarshal[Trial](body)
	}
	return nil, fmt.Errorf("command of kind %d is unknown: a newer version of this program wrote the log: %w", kind, errNewer)
}

func (t *tables) applyTrial(cmd Command) (Result, bool) {
	if c, ok := cmd.(Trial); ok {
		return t.putTeam(PutTeam{Team: farm.Team{ID: c.Team}}), true
	}
	return Result{}, false
}

// trialTeam is a rule that the release to come changes: a team is called by its id in capital letters when it has no name.
func (t *tables) trialTeam(team farm.Team) farm.Team {
	if t.since(NewestLevel) && team.Name == "" {
		team.Name = strings.ToUpper(team.ID)
	}
	return team
}
