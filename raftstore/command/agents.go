package command

import "overcrank/farm"

// EnrolAgent makes an agent known.
type EnrolAgent struct{ Agent farm.Agent }

// PutInventory records what an agent has.
type PutInventory struct {
	ID        string
	Name      string
	Inventory farm.Inventory
}

// RemoveAgent forgets an agent; its credential stops working.
type RemoveAgent struct{ ID string }

func (c EnrolAgent) Needs() int { return inventoryLevel(c.Agent.Inventory) }
func (RemoveAgent) Needs() int  { return ClusterLevel }

// Needs is higher when the machine says which folders it may take files from, which older programs would lose.
func (c PutInventory) Needs() int { return inventoryLevel(c.Inventory) }

func inventoryLevel(inv farm.Inventory) int {
	if inv.Roots != nil {
		return RootsLevel
	}
	return ClusterLevel
}
