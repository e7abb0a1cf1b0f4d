//go:build trial_level

package raftstore

import (
	"fmt"

	"overcrank/farm"
)

// This file stands for a release to come: with it, tests build a program that knows a level and a command more.

// NewestLevel is one more than that of the program without this file.
const NewestLevel = clusterLevel + 1

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
