package coordinator

import (
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

const (
	// collectorPace lets the heap grow to five times of what is in use before it is collected: a busy coordinator spends a tenth
	// less processor time on a submission then, and more with a million jobs waiting (docs/benchmarks.md).
	collectorPace = 400 // percent
	// collectorCeiling is where the collector hurries again, so that a coordinator stays below a gigabyte with a million jobs waiting, of
	// which it holds a quarter of that, and with what it has mapped of its files.
	collectorCeiling = 3 << 28 // bytes

	// contentionsSampled is of how many times that goroutines waited for a lock one is kept, and waitSampled for how much waiting of any kind
	// one is: so that what a farm does at its busiest costs a few hundred samples a second.
	contentionsSampled = 100
	waitSampled        = time.Second
)

// PaceProcess sets how the whole process uses processors and memory. What GOMAXPROCS, GOGC and GOMEMLIMIT say counts more.
//
// It trades memory that a coordinator's machine has for time. And it lets one goroutine more run than there are processors: each
// write of the log holds a place until the disk has it, or until the runtime notices, some hundred times a second under load. On two
// processors that is most of what a submission waits for.
func PaceProcess() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.SetDefaultGOMAXPROCS() // which knows the limits of containers, unlike the number of processors
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectorPace)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(collectorCeiling)
	}
}

// SampleProcess has the process note for what its goroutines wait, which Go's profiles mutex and block are made of.
func SampleProcess() {
	runtime.SetMutexProfileFraction(contentionsSampled)
	runtime.SetBlockProfileRate(int(waitSampled))
}
