package presence

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// StepBack lets this process, and what it starts from now on, take less of processors and disks than other programs. Windows gives
// the priority class below normal on to children, and the one for disks.
func StepBack() error {
	const ioPriority, low = 33, 1 // ProcessIoPriority, IoPriorityLow
	class := uint32(low)
	err := errors.Join(
		windows.SetPriorityClass(windows.CurrentProcess(), windows.BELOW_NORMAL_PRIORITY_CLASS),
		windows.NtSetInformationProcess(windows.CurrentProcess(), ioPriority, unsafe.Pointer(&class), uint32(unsafe.Sizeof(class))),
	)
	if err != nil {
		return fmt.Errorf("stepping back behind other programs: %w", err)
	}
	return nil
}
