package inventory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX of the Windows interface.
type memoryStatus struct {
	length, load                                                                                  uint32
	total, available, totalPage, availablePage, totalVirtual, availableVirtual, availableExtended uint64
}

// totalMemory is the machine's memory in bytes, 0 when it is not known.
func totalMemory() int64 {
	var status memoryStatus
	status.length = uint32(unsafe.Sizeof(status))
	ok, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx").Call(uintptr(unsafe.Pointer(&status)))
	if ok == 0 {
		return 0
	}
	return int64(status.total)
}
