package coordinator

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// FileAllowed says whether some machine may read a file.
func (f submissions) FileAllowed(path string) (bool, error) {
	f.installed.mu.Lock()
	defer f.installed.mu.Unlock()
	if err := f.store.View(f.installed.renewLocked); err != nil {
		return false, err
	}
	for _, m := range f.installed.machines {
		if m.roots == nil || farm.InRoots(m.os, m.roots, path) {
			return true, nil
		}
	}
	return false, nil
}

// toldRoots is an inventory as the farm's level lets it be recorded.
func (c *Coordinator) toldRoots(inv farm.Inventory) farm.Inventory {
	if c.cluster.Level() < command.RootsLevel {
		inv.Roots = nil
	}
	return inv
}
