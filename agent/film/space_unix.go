//go:build unix

package film

import "syscall"

const errNoSpace = syscall.ENOSPC
