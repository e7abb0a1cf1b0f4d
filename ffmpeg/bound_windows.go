package ffmpeg

import (
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// bound limits the memory of a process that was just started, by a job object of its own within that of its engine: an allocation beyond that fails,
// and the process ends with an error. The object lasts as long as the process.
func bound(cmd *exec.Cmd, most uint64) {
	// Errors are ignored: a process that has ended needs no limit, and of another one each block of memory is limited at least.
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(job) }()
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{ProcessMemoryLimit: uintptr(most)}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		return
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(process) }()
	_ = windows.AssignProcessToJobObject(job, process)
}
