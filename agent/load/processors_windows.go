package load

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// average is not needed where ticks are counted.
func average() (percent float64, known bool) { return 0, false }

// processors asks GetSystemTimes, whose time in the kernel holds the idle time.
func processors() (ticks, bool) {
	var idle, kernel, user windows.Filetime
	ok, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemTimes").Call(
		uintptr(unsafe.Pointer(&idle)), uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user)))
	if ok == 0 {
		return ticks{}, false
	}
	count := func(t windows.Filetime) uint64 { return uint64(t.HighDateTime)<<32 | uint64(t.LowDateTime) }
	all := count(kernel) + count(user)
	return ticks{busy: all - min(count(idle), all), all: all}, true
}
