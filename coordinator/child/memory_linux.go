//go:build !race

package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// ownMemory is what the program itself needs besides what it is asked for, in bytes.
const ownMemory = 128 << 20

// limitMemory limits the writable memory of this process (RLIMIT_DATA). The address space is no measure: Go reserves far more than it
// uses.
func limitMemory(most int64) error {
	// When the machine runs out of memory the kernel should kill this process first. Where setting that is not permitted, the limit still
	// holds.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	limit := unix.Rlimit{Cur: uint64(most + ownMemory), Max: uint64(most + ownMemory)}
	return unix.Setrlimit(unix.RLIMIT_DATA, &limit)
}
