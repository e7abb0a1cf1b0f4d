//go:build !trial_level

package raftstore

import (
	"fmt"

	"overcrank/farm"
)

// NewestLevel is the highest level whose commands this program understands.
const NewestLevel = checkedLevel

// decodeTrial reads commands of the level that a trial build has beyond this one, see newest_trial.go.
func decodeTrial(kind Kind, _ []byte) (Command, error) {
	return nil, fmt.Errorf("command of kind %d is unknown: a newer version of this program wrote the log: %w", kind, errNewer)
}

// applyTrial applies them.
func (t *tables) applyTrial(Command) (Result, bool) { return Result{}, false }

// trialTeam is where a trial build has another rule.
func (t *tables) trialTeam(team farm.Team) farm.Team { return team }
