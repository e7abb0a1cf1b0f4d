package command

import "overcrank/farm"

// PutCoordinator says what a coordinator is and where it can be reached; a record with its id is replaced.
type PutCoordinator struct{ Coordinator farm.Coordinator }

// RemoveCoordinator forgets a coordinator that is a member no more.
type RemoveCoordinator struct{ ID string }

func (PutCoordinator) Needs() int    { return ClusterLevel }
func (RemoveCoordinator) Needs() int { return ClusterLevel }
