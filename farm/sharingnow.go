package farm

// SharingNow is how the farm's machines are shared at the moment.
type SharingNow struct {
	Teams  map[string]TeamUse  `json:"teams"`  // by id; one that nothing was submitted for may be absent
	Limits map[string]LimitUse `json:"limits"` // by name
}

// TeamUse is what a team has of the farm.
type TeamUse struct {
	Tasks    int `json:"tasks"`    // at work
	Machines int `json:"machines"` // that work for it
	Waiting  int `json:"waiting"`  // tasks in line
}

// LimitUse is how much of a limit is taken.
type LimitUse struct {
	Taken    int      `json:"taken"`
	Machines []string `json:"machines,omitempty"` // names of those that hold it
}
