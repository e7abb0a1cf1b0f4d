//go:build !windows

package encode

import "syscall"

// errNoSpace is the system's error for a full disk.
const errNoSpace = syscall.ENOSPC
