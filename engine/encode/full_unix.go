//go:build !windows

package encode

import "syscall"

// errNoSpace is what the system answers when a disk is full.
const errNoSpace = syscall.ENOSPC
