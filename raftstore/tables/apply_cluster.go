package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

func (t *tables) putCoordinator(c command.PutCoordinator) command.Result {
	if c.Coordinator.ID == "" {
		return refusef(farm.CodeInvalid, "a coordinator needs an id")
	}
	put(t, bucketCoordinators, c.Coordinator.ID, c.Coordinator)
	return command.Result{}
}

func (t *tables) removeCoordinator(c command.RemoveCoordinator) command.Result {
	if !t.has(bucketCoordinators, c.ID) {
		return refusef(farm.CodeNotFound, "coordinator %q does not exist", c.ID)
	}
	t.remove(bucketCoordinators, c.ID)
	return command.Result{}
}

// Coordinators reads the nodes of the farm's head, by id.
func (tx *Tx) Coordinators() ([]farm.Coordinator, error) {
	return all[farm.Coordinator](tx.t, bucketCoordinators), tx.t.err
}

// Coordinator reads one node of the farm's head.
func (tx *Tx) Coordinator(id string) (farm.Coordinator, error) {
	return byID[farm.Coordinator](tx, bucketCoordinators, "coordinator", id)
}
