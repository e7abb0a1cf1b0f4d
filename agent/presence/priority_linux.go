package presence

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// threads are those of this process: on Linux each has a priority of its own, and what it starts inherits that.
func threads() []int {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return []int{0}
	}
	var ids []int
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// lowerDisk gives a thread the last place in the usual class of disk priorities: IOPRIO_WHO_PROCESS and IOPRIO_CLASS_BE of
// ioprio_set(2).
func lowerDisk(thread int) {
	const whoProcess, lastOfUsual = 1, 2<<13 | 7
	_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, whoProcess, uintptr(thread), lastOfUsual) // some disks know no priorities
}
