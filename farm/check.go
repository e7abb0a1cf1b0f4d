package farm

// Check is one condition that a node checks to tell whether it can take work.
type Check struct {
	Name  string // such as "leader" or "disk"
	Err   error  // why work cannot be taken, and what to do; nil when the check passed
	Found string // what was found; "" with an error
	// Warn says that what was found needs attention, although work is taken.
	Warn bool
	Disk *DiskSpace // set by checks of a disk
}

// DiskSpace is how much room a folder's disk has, in bytes.
type DiskSpace struct {
	Path string
	Free int64
	Need int64 // no work is taken below this
}

// Passed is a check that passed, with what it found.
func Passed(name, found string) Check { return Check{Name: name, Found: found} }

// Failed is a check that failed: err says why no work can be taken, and what to do.
func Failed(name string, err error) Check { return Check{Name: name, Err: err} }

// Unready is the error of the first check that failed, nil when all passed.
func Unready(checks []Check) error {
	for _, c := range checks {
		if c.Err != nil {
			return c.Err
		}
	}
	return nil
}
