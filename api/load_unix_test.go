//go:build unix

package api_test

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"time"
)

// processorTime is what this process has used of all processors.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// residentMemory is what this process has in memory, and how much of it is its own rather than pages of files, in bytes; ok
// is false where the system does not tell.
func residentMemory() (all, own int64, ok bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, false
	}
	for line := range bytes.Lines(status) {
		_, _ = fmt.Sscanf(string(line), "VmRSS: %d kB", &all)
		_, _ = fmt.Sscanf(string(line), "RssAnon: %d kB", &own)
	}
	return all << 10, own << 10, all > 0
}
