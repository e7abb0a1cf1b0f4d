package farm

import (
	"math"
	"slices"
	"time"
)

// Load is how busy a machine is, as it measured a moment ago. Nobody keeps it: it is as current as the machine's last word.
type Load struct {
	Processor float64 `json:"processor"` // percent of all processors, 0..100; below 0 when not known
	Memory    int64   `json:"memory"`    // bytes in use; 0 when not known
	DiskFree  int64   `json:"diskFree"`  // bytes, on the disk where tasks work; below 0 when not known
}

// Within is the load with each figure within what it can be: it comes from machines.
func (l Load) Within() Load {
	if math.IsNaN(l.Processor) || l.Processor < 0 {
		l.Processor = -1
	}
	l.Processor = min(l.Processor, 100)
	l.Memory, l.DiskFree = max(l.Memory, 0), max(l.DiskFree, -1)
	return l
}

// DiskFree is how many bytes are free on the disk where the machine's tasks work, as far as it has told.
func (m Machine) DiskFree() int64 {
	if m.Load != nil && m.Load.DiskFree >= 0 {
		return m.Load.DiskFree
	}
	return m.Inventory.DiskFree
}

// WorkRules are when a machine may work for the farm by the settings of its own agent.
type WorkRules struct {
	Hours        []Hours  `json:"hours,omitempty"`        // by its own clock; none means always
	IdleMinutes  float64  `json:"idleMinutes,omitempty"`  // without input, until it counts as idle; 0 ignores input
	LockedIsIdle bool     `json:"lockedIsIdle,omitempty"` // a locked screen counts as idle at once
	MaxOtherLoad int      `json:"maxOtherLoad,omitempty"` // percent of all processors that other programs may use; 0 for no limit
	Programs     []string `json:"programs,omitempty"`     // while one of them runs, somebody is at work
	NotOnBattery bool     `json:"notOnBattery,omitempty"`
	Zone         string   `json:"zone"`       // name of its time zone, such as CET
	ZoneOffset   int      `json:"zoneOffset"` // minutes east of UTC, now
}

// Bounds of the rules that a machine reports.
const (
	mostHours    = 100
	mostPrograms = 100
	// farthestZone is how far a time zone is from UTC at most, in minutes.
	farthestZone = 14 * 60
)

// Within is the rules without what no agent would report.
func (r WorkRules) Within() WorkRules {
	inDay := func(minutes int) bool { return minutes >= 0 && minutes < minutesOfDay }
	r.Hours = slices.DeleteFunc(slices.Clone(r.Hours[:min(len(r.Hours), mostHours)]), func(h Hours) bool {
		return !inDay(h.From) || !inDay(h.To) || slices.ContainsFunc(h.Days, func(d time.Weekday) bool { return d < time.Sunday || d > time.Saturday }) || len(h.Days) > len(weekdays)
	})
	r.Programs = r.Programs[:min(len(r.Programs), mostPrograms)]
	r.IdleMinutes, r.MaxOtherLoad = max(r.IdleMinutes, 0), max(r.MaxOtherLoad, 0)
	r.ZoneOffset = max(-farthestZone, min(r.ZoneOffset, farthestZone))
	return r
}

// Always tells whether no rule keeps the machine from work.
func (r WorkRules) Always() bool {
	return len(r.Hours) == 0 && r.IdleMinutes == 0 && r.MaxOtherLoad == 0 && len(r.Programs) == 0 && !r.NotOnBattery
}

// Clock is a time on the machine's clock.
func (r WorkRules) Clock(t time.Time) time.Time {
	return t.In(time.FixedZone(r.Zone, r.ZoneOffset*60))
}
