package raftstore

import "overcrank/farm"

// The kinds of commands about the coordinators themselves.
const (
	KindPutCoordinator    Kind = 110
	KindRemoveCoordinator Kind = 111
)

// PutCoordinator says what a coordinator is and where it can be reached; a record with its id is replaced.
type PutCoordinator struct{ Coordinator farm.Coordinator }

// RemoveCoordinator forgets a coordinator that is a member no more.
type RemoveCoordinator struct{ ID string }

func (PutCoordinator) kind() Kind    { return KindPutCoordinator }
func (RemoveCoordinator) kind() Kind { return KindRemoveCoordinator }
