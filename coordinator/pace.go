package coordinator

import (
	"os"
	"runtime/debug"
)

const (
	// collectorPace lets the heap grow to five times of what is in use before it is collected: a busy coordinator spends a tenth
	// less processor time on a submission then, and more with a million jobs waiting (docs/benchmarks.md).
	collectorPace = 400 // percent
	// collectorCeiling is where the collector hurries again, so that a million waiting jobs do not cost gigabytes of garbage.
	collectorCeiling = 5 << 28 // bytes
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
