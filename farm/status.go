package farm

import "time"

// Status is a summary of the farm's work.
type Status struct {
	Paused   bool // no new tasks are started
	PausedAt time.Time
	PausedBy string
	Machines map[MachineState]int
	Slots    int               // tasks that the connected machines run at once
	Leased   int               // tasks that machines have now, of all teams
	Ready    int               // tasks that wait for a machine, of all teams
	Jobs     map[JobStatus]int // of the caller's team
	// Done and Failed are how many tasks ended since the moment Since, which is at most an hour ago.
	Done, Failed int
	Since        time.Time
}
