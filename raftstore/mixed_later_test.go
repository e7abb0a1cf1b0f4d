//go:build trial_level

package raftstore

import "overcrank/raftstore/command"

// fromLater is a command that this build's release brings.
func fromLater(team string) command.Command { return command.Trial{Team: team} }
