package tables

import (
	"fmt"
	"reflect"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// The files apply*.go are the rules of the state: what each command does to it. They depend on nothing but the state and
// the command, so that every node and every replay comes to the same: no clock, no random value, no order of a map, no
// environment. A rule checks everything before it writes anything.

// apply does what a command asks, or refuses it.
func (t *tables) apply(cmd command.Command) command.Result {
	rule := ruleOf[reflect.TypeOf(cmd)]
	if rule == nil {
		t.fail(fmt.Errorf("no rule for command %T", cmd))
		return command.Result{}
	}
	return rule(t, cmd)
}

// refuse is the result of a command that the rules forbid.
func refuse(why *farm.Error) command.Result { return command.Result{Refused: why} }

// refusef is refuse with a message made on the spot.
func refusef(code farm.Code, format string, args ...any) command.Result {
	return refuse(farm.Errorf(code, format, args...))
}
