//go:build unix

package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is how long this process has had processors for.
func processorTime() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0 // it has no reason to fail for one's own process
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
