package farm

// Check is one thing that a node looks at to tell whether it can take work.
type Check struct {
	Name  string // such as "leader" or "disk"
	Err   error  // why work cannot be taken, with the way out; nil when this is well
	Found string // what was found; "" with an error
	// Warn says that what was found needs somebody's care though work is taken.
	Warn bool
	Disk *DiskSpace // of a check of a disk
}

// DiskSpace is how much room a folder's disk has, in bytes.
type DiskSpace struct {
	Path string
	Free int64
	Need int64 // below which nothing is taken
}

// Passed is a check that found all well.
func Passed(name, found string) Check { return Check{Name: name, Found: found} }

// Failed is a check that found why no work can be taken.
func Failed(name string, err error) Check { return Check{Name: name, Err: err} }

// Unready is the first reason among checks for which no work can be taken, nil without any.
func Unready(checks []Check) error {
	for _, c := range checks {
		if c.Err != nil {
			return c.Err
		}
	}
	return nil
}
