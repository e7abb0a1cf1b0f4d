package raftstore

import "overcrank/farm"

func (t *tables) putCoordinator(c PutCoordinator) Result {
	if c.Coordinator.ID == "" {
		return refusef(farm.CodeInvalid, "a coordinator needs an id")
	}
	put(t, bucketCoordinators, c.Coordinator.ID, c.Coordinator)
	return Result{}
}

func (t *tables) removeCoordinator(c RemoveCoordinator) Result {
	if !t.has(bucketCoordinators, c.ID) {
		return refusef(farm.CodeNotFound, "coordinator %q does not exist", c.ID)
	}
	t.remove(bucketCoordinators, c.ID)
	return Result{}
}

// Coordinators reads the nodes of the farm's head, by id.
func (tx *Tx) Coordinators() ([]farm.Coordinator, error) {
	return all[farm.Coordinator](tx.t, bucketCoordinators), tx.t.err
}

// Coordinator reads one node of the farm's head.
func (tx *Tx) Coordinator(id string) (farm.Coordinator, error) {
	return byID[farm.Coordinator](tx, bucketCoordinators, "coordinator", id)
}
