package coordinator

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
)

// authorityWarning is how long before its end somebody is told that the farm's authority ends.
const authorityWarning = 60 * 24 * time.Hour

// Ready is nil when requests can be served; otherwise it says why not.
func (c *Coordinator) Ready() error { return farm.Unready(c.Checks()) }

// Checks says, part by part, whether this node can take work: its place among the coordinators, the farm's leader, its state and log,
// the disk, the files, the certificates, the clock.
func (c *Coordinator) Checks() []farm.Check {
	checks := append([]farm.Check{c.cluster.Check()}, c.store.Checks()...)
	checks = append(checks, c.checkWork(), c.storage.Check(), c.storage.CheckFiles(), c.checkAuthority(), c.clock.check())
	if c.cfg.Checks != nil {
		checks = append(checks, c.cfg.Checks()...)
	}
	return checks
}

// WithoutPlaces are checks as anybody may see them: without the folders, buckets and hosts where the farm keeps what it has.
func (c *Coordinator) WithoutPlaces(checks []farm.Check) []farm.Check {
	places := []string{c.cfg.DataDir, "the data folder"}
	if shared := c.storage.Shared(); shared != nil {
		places = append(places, shared.Where(), "the farm's storage")
	}
	plain := strings.NewReplacer(places...)
	told := slices.Clone(checks)
	for i := range told {
		told[i].Found = plain.Replace(told[i].Found)
		if err := told[i].Err; err != nil {
			told[i].Err = farm.Errorf(farm.CodeUnavailable, "%s", plain.Replace(err.Error()))
		}
		if disk := told[i].Disk; disk != nil {
			told[i].Disk = &farm.DiskSpace{Free: disk.Free, Need: disk.Need}
		}
	}
	return told
}

// checkWork says whether the node that leads has taken up the leader's work.
func (c *Coordinator) checkWork() farm.Check {
	const name = "work"
	if id, _ := c.store.Leader(); id == c.store.ID() && !c.Leads() {
		return farm.Failed(name, farm.Errorf(farm.CodeUnavailable, "this coordinator is taking over the farm's work; try again in a moment"))
	}
	if c.Leads() && !c.QueueRead() {
		return farm.Passed(name, "it is in hand; the queue is being read, and the most urgent of it begins meanwhile")
	}
	return farm.Passed(name, "it is in hand")
}

func (c *Coordinator) checkAuthority() farm.Check {
	until := c.authority.Until()
	check := farm.Passed("certificate", fmt.Sprintf("the farm's authority is good until %s", until.UTC().Format(time.DateOnly)))
	switch left := until.Sub(c.cfg.Now()); {
	case left <= 0:
		check.Warn, check.Found = true, fmt.Sprintf("the farm's authority ended on %s: agents are not let in; give the farm a new one", until.UTC().Format(time.DateOnly))
	case left < authorityWarning:
		check.Warn, check.Found = true, check.Found+"; give the farm a new one before"
	}
	return check
}
