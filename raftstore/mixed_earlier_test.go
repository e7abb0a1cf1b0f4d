//go:build !trial_level

package raftstore

import "overcrank/farm"

// fromLater is a command of a level to come.
func fromLater(team string) Command { return laterCommand{PutTeam{Team: farm.Team{ID: team}}} }
