package load

import (
	"encoding/binary"
	"runtime"

	"golang.org/x/sys/unix"
)

// processors counts no ticks: macOS tells them only to programs that are linked with its C library.
func processors() (ticks, bool) { return ticks{}, false }

// average is how many programs wanted a processor in the last minute, as a share of all processors. It reads struct loadavg: three
// numbers of 32 bits for 1, 5 and 15 minutes, padding, and the 64 bits of what they are scaled by.
func average() (percent float64, known bool) {
	raw, err := unix.SysctlRaw("vm.loadavg")
	if err != nil || len(raw) < 24 {
		return 0, false
	}
	scale := binary.LittleEndian.Uint64(raw[16:])
	if scale == 0 {
		return 0, false
	}
	wanted := float64(binary.LittleEndian.Uint32(raw)) / float64(scale)
	return min(100*wanted/float64(runtime.NumCPU()), 100), true
}
