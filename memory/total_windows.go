package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX of the Windows API.
type memoryStatus struct {
	length, load                                                                                  uint32
	total, available, totalPage, availablePage, totalVirtual, availableVirtual, availableExtended uint64
}

func total() int64 {
	status, _ := ask()
	return int64(status.total)
}

func available() (int64, bool) {
	status, known := ask()
	return int64(status.available), known
}

// ask is zero when Windows does not tell.
func ask() (status memoryStatus, known bool) {
	status.length = uint32(unsafe.Sizeof(status))
	ok, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx").Call(uintptr(unsafe.Pointer(&status)))
	if ok == 0 {
		return memoryStatus{}, false
	}
	return status, true
}
