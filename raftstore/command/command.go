// Package command has the commands: each is one change of the farm's state, and lies in Raft's log as it is encoded here. What a command does
// is a rule of the state.
package command

// Command is one change of the replicated state. Time, ids and random values come inside it.
type Command interface {
	// Needs is from which level of the farm on the command may be written, see level.go.
	Needs() int
}
