package encode

import "golang.org/x/sys/windows"

// errNoSpace is what the system answers when a disk is full.
const errNoSpace = windows.ERROR_DISK_FULL
