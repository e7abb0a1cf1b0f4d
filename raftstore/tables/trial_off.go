//go:build !trial_level

package tables

import "overcrank/farm"

// trialRegistry is what a trial build has beyond this one, see trial.go.
func trialRegistry() []rule { return nil }

// trialTeam is where a trial build has another rule.
func (t *tables) trialTeam(team farm.Team) farm.Team { return team }
