package coordinator

import (
	"overcrank/farm"
)

// FileAllowed says whether some machine may read a file.
func (f submissions) FileAllowed(path string) (bool, error) {
	f.installed.mu.Lock()
	defer f.installed.mu.Unlock()
	if err := f.state.View(f.installed.renewLocked); err != nil {
		return false, err
	}
	for _, m := range f.installed.machines {
		if m.roots == nil || farm.InRoots(m.os, m.roots, path) {
			return true, nil
		}
	}
	return false, nil
}
