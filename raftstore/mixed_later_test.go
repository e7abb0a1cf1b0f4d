//go:build trial_level

package raftstore

// fromLater is a command that this build's release brings.
func fromLater(team string) Command { return Trial{Team: team} }
