package coordinator

import (
	"os"
	"runtime/debug"
)

const (
	// collectorPace lets the heap grow to four times of what is in use before it is collected: a busy coordinator spends a tenth
	// less processor time on a submission then (docs/benchmarks.md).
	collectorPace = 300 // percent
	// collectorCeiling is where the collector hurries again, so that a million waiting jobs do not cost a gigabyte of garbage.
	collectorCeiling = 1 << 30 // bytes
)

// PaceCollector trades memory that a coordinator's machine has for time, in the whole process. What GOGC and GOMEMLIMIT say
// counts more.
func PaceCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectorPace)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(collectorCeiling)
	}
}
