package memory

import (
	"os"

	"golang.org/x/sys/unix"
)

// available counts the pages that are free, those that programs have marked as not needed, and those that files are read again from.
func available() (int64, bool) {
	var pages int64
	for _, name := range []string{"vm.page_free_count", "vm.page_purgeable_count", "vm.page_pageable_external_count"} {
		n, err := unix.SysctlUint32(name)
		if err != nil {
			return 0, false
		}
		pages += int64(n)
	}
	return pages * int64(os.Getpagesize()), true
}
