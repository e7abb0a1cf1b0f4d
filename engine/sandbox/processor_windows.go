package sandbox

import (
	"time"

	"golang.org/x/sys/windows"
)

// processorTime is how long this process has had processors for.
func processorTime() time.Duration {
	var created, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user) != nil {
		return 0 // it has no reason to fail for one's own process
	}
	return duration(kernel) + duration(user)
}

// duration is a length of time, which Windows counts in units of 100 ns.
func duration(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
