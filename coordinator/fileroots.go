package coordinator

import (
	"net/url"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// refusedFiles are the fields of a job that name a file by a file: address which no machine of the farm may read, as far as their agents
// have told. Machines that are not connected count as well, and one whose agent is too old to tell may be allowed anything.
func (c *Coordinator) refusedFiles(job farm.Job) (refused []farm.FieldError, err error) {
	refused = refusedSources(job, func(src string) (why string) {
		if scheme, _, _ := strings.Cut(src, ":"); err != nil || !strings.EqualFold(scheme, "file") || len(farm.SecretRefs(src)) > 0 {
			return ""
		}
		u, wrong := url.Parse(src)
		if wrong != nil {
			return "is not a well-formed file: address"
		}
		allowed, failed := c.fileAllowed(u.Path)
		if err = failed; allowed || err != nil {
			return ""
		}
		return "is in no folder that a machine of the farm may take files from; an administrator allows a folder by the flag --root of a machine's agent"
	})
	return refused, err
}

// fileAllowed says whether some machine may read a file.
func (c *Coordinator) fileAllowed(path string) (bool, error) {
	c.installed.mu.Lock()
	defer c.installed.mu.Unlock()
	if err := c.store.View(c.installed.renewLocked); err != nil {
		return false, err
	}
	for _, m := range c.installed.machines {
		if m.roots == nil || farm.InRoots(m.os, m.roots, path) {
			return true, nil
		}
	}
	return false, nil
}

// toldRoots is an inventory as the farm's level lets it be recorded.
func (c *Coordinator) toldRoots(inv farm.Inventory) farm.Inventory {
	if c.level() < command.RootsLevel {
		inv.Roots = nil
	}
	return inv
}
