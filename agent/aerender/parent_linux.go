package aerender

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent ends an engine when its agent is killed, so that it does not render on for nobody. The kernel ties this
// to the thread that started the engine, which therefore stays locked until the engine has ended.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// lowerDisk lets a process group read and write only when nobody else does: IOPRIO_WHO_PGRP and IOPRIO_CLASS_IDLE of ioprio_set(2).
func lowerDisk(group int) {
	const whoGroup, idleClass = 2, 3 << 13
	_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, whoGroup, uintptr(group), idleClass) // some disks know no priorities
}
