//go:build unix

package aerenderdouble

import (
	"os/signal"
	"syscall"
)

func ignoreTermination() { signal.Ignore(syscall.SIGTERM, syscall.SIGINT) }
