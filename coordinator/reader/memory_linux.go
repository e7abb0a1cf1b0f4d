//go:build !race

package reader

import (
	"os"

	"golang.org/x/sys/unix"
)

// ownMemory is what the program itself has, in bytes, beside what reading takes.
const ownMemory = 128 << 20

// limitMemory has the system give the process no more memory than that. It counts what can be written to (RLIMIT_DATA) rather than addresses,
// of which Go reserves far more than it uses.
func limitMemory(most int64) error {
	// A machine that runs short of memory ends this process before any other; where that may not be asked for, the bound holds all the same.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	limit := unix.Rlimit{Cur: uint64(most + ownMemory), Max: uint64(most + ownMemory)}
	return unix.Setrlimit(unix.RLIMIT_DATA, &limit)
}
