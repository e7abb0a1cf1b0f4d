package memory

import (
	"os"
	"strconv"
	"strings"
)

// available reads MemAvailable of /proc/meminfo (proc_meminfo(5)), which counts what the system would let go of.
func available() (int64, bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		rest, found := strings.CutPrefix(line, "MemAvailable:")
		if !found {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
		return kib << 10, err == nil
	}
	return 0, false
}
