package coordinator

import (
	"slices"

	"overcrank/raftstore"
)

// publicAddresses are the base addresses at which agents reach the farm's coordinators: those that the state knows, and this one's.
func (c *Coordinator) publicAddresses(tx *raftstore.Tx) ([]string, error) {
	addresses := []string{c.cfg.PublicAddress}
	known, err := tx.Coordinators()
	for _, node := range known {
		addresses = append(addresses, node.Public)
	}
	slices.Sort(addresses)
	return slices.DeleteFunc(slices.Compact(addresses), func(address string) bool { return address == "" }), err
}
