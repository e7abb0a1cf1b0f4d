//go:build !trial_level

package raftstore

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// fromLater is a command of a level to come.
func fromLater(team string) command.Command {
	return laterCommand{command.PutTeam{Team: farm.Team{ID: team}}}
}
